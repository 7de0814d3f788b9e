// Type into the filter of a page in Chromium, and measure until the frame that shows the result. `cpu` is the processor
// time of the page's thread, in milliseconds, which other programs of the machine do not change as they change `wall`:
// node fleet_speed.mjs READERS CHROMIUM PAGE WORDS. READERS is the folder with puppeteer; WORDS is a JSON list, in which
// `>#columns` stands for the button that shows the next ones.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [readers, executablePath, page, words] = process.argv.slice(2);
const puppeteer = createRequire(join(readers, "index.js"))("puppeteer-core");
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"], protocolTimeout: 600_000 });
const seen = { complaints: [], words: {} };
try {
  const tab = await browser.newPage();
  tab.on("pageerror", (error) => seen.complaints.push(String(error)));
  await tab.setViewport({ width: 1280, height: 900 });
  const session = await tab.createCDPSession();
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const begin = performance.now();
  await tab.goto(pathToFileURL(page), { timeout: 300_000 });
  await tab.evaluate(() => document.body.offsetHeight);
  seen.load = { wall: performance.now() - begin, cpu: await busy(session) };
  for (const word of JSON.parse(words)) {
    const before = await busy(session);
    const wall = await tab.evaluate(type, word);
    seen.words[word] = { wall, cpu: (await busy(session)) - before, ...(await tab.evaluate(look)) };
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));

async function busy(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * metrics.find((one) => one.name === "TaskDuration").value;
}

// Everything below runs in the page.
async function type(word) {
  const field = document.getElementById("filter");
  const begin = performance.now();
  if (word.startsWith(">")) {
    document.querySelector(`${word.slice(1)} button:last-of-type`).click();
  } else {
    field.value = word;
    field.dispatchEvent(new Event("input"));
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begin;
}

function look() {
  const isShown = (element) => element.getClientRects().length > 0;
  return {
    cells: [...document.querySelectorAll("td")].filter(isShown).length,
    output: document.querySelector("output").textContent,
    parts: [...document.querySelectorAll(".part")].filter(isShown).map((part) => part.querySelector("span").textContent),
    first: document.querySelector("thead .label")?.textContent,
  };
}
