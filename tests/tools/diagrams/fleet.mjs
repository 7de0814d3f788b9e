// Look at the page of a fleet in Chromium, as a person does: node fleet.mjs CHROMIUM PAGE FOLDER WORDS, the last one a JSON
// list of what is typed into the field. What was seen is JSON on stdout, and pictures of it are in the folder.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [executablePath, page, folder, words] = process.argv.slice(2);
const SIZES = { wide: [1280, 900], narrow: [390, 844] };

const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const seen = { complaints: [], requests: [], sizes: {} };
try {
  for (const [name, [width, height]] of Object.entries(SIZES)) {
    for (const scheme of ["light", "dark"]) {
      const tab = await browser.newPage();
      tab.on("console", (message) => seen.complaints.push(message.text()));
      tab.on("pageerror", (error) => seen.complaints.push(String(error)));
      tab.on("request", (request) => seen.requests.push(request.url()));
      await tab.setViewport({ width, height });
      await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await tab.goto(pathToFileURL(page));
      await tab.screenshot({ path: join(folder, `${name}-${scheme}.png`), fullPage: true });
      const look = await tab.evaluate(measure);
      look.keyboard = await useKeyboard(tab);
      look.filtered = {};
      for (const word of JSON.parse(words)) look.filtered[word] = await type(tab, word);
      await tab.screenshot({ path: join(folder, `${name}-${scheme}-filtered.png`), fullPage: true });
      seen.sizes[`${name}-${scheme}`] = look;
      await tab.close();
    }
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));

// Tab leads to the field, the box and the table; `/` leads to the field from anywhere.
async function useKeyboard(tab) {
  const visited = [];
  for (let step = 0; step < 3; step += 1) {
    await tab.keyboard.press("Tab");
    visited.push(await tab.evaluate(focused));
  }
  await tab.keyboard.press("ArrowRight");
  // A browser scrolls a moment later, and only what is not in view as a whole.
  const isInView = await tab.$eval(".fleet", (table) => table.scrollWidth <= table.clientWidth);
  if (!isInView) await tab.waitForFunction(() => document.querySelector(".fleet").scrollLeft > 0);
  const scrolled = await tab.$eval(".fleet", (table) => table.scrollLeft);
  await tab.keyboard.press("/");
  visited.push(await tab.evaluate(focused));
  return { visited, scrolled };
}

// The field is focused. A blank in front of a word stands for the box beside it.
async function type(tab, word) {
  await tab.keyboard.press("Escape");
  if (word.startsWith(" ")) await tab.click("#different");
  await tab.focus("#filter");
  await tab.keyboard.type(word.trim());
  const found = await tab.evaluate(measure);
  if (word.startsWith(" ")) await tab.click("#different");
  await tab.focus("#filter");
  return found;
}

// Everything below runs in the page.
function focused() {
  const { activeElement: element } = document;
  const { outlineStyle } = getComputedStyle(element);
  return { id: element.id || element.className, outline: outlineStyle };
}

function measure() {
  const isShown = (element) => element.getClientRects().length > 0;
  const text = (element) => element.textContent.trim();
  const style = getComputedStyle(document.body);
  const table = document.querySelector(".fleet");
  const cells = [...document.querySelectorAll("td")].filter(isShown);
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    inside: table.scrollWidth - table.clientWidth,
    clipped: cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map(text),
    colours: [style.color, style.backgroundColor],
    columns: [...document.querySelectorAll("thead .label")].filter(isShown).map(text),
    rows: [...document.querySelectorAll(".base th > bdi")].filter(isShown).map(text),
    cells: cells.length,
    different: cells.filter((cell) => cell.matches(".different")).length,
    labels: [...document.querySelectorAll(".where")].filter(isShown).map(text),
    output: document.querySelector("output").textContent,
  };
}
