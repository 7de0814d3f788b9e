// Look at a page in Chromium, as a person does: node browse.mjs CHROMIUM PAGE FOLDER. What was seen is JSON on stdout,
// and pictures of it are in the folder.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [executablePath, page, folder] = process.argv.slice(2);
const SIZES = { wide: [1280, 900], narrow: [390, 844] };

const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const seen = { complaints: [], requests: [], sizes: {} };
try {
  for (const [name, [width, height]] of Object.entries(SIZES)) {
    for (const scheme of ["light", "dark"]) {
      const tab = await browser.newPage();
      tab.on("console", (message) => seen.complaints.push(message.text()));
      tab.on("pageerror", (error) => seen.complaints.push(String(error)));
      tab.on("dialog", (dialog) => { seen.complaints.push(dialog.message()); dialog.dismiss(); });
      tab.on("request", (request) => seen.requests.push(request.url()));
      await tab.setViewport({ width, height });
      await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await tab.goto(pathToFileURL(page));
      await picture(tab, `${name}-${scheme}-closed`);
      const look = await tab.evaluate(measure);
      look.keyboard = await useKeyboard(tab);
      await picture(tab, `${name}-${scheme}-open`);
      look.opened = await tab.evaluate(measure);
      seen.sizes[`${name}-${scheme}`] = look;
      await tab.close();
    }
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));

async function picture(tab, name) {
  await tab.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

// Everything below runs in the page.
function measure() {
  const cards = [...document.querySelectorAll(".card")];
  const arrows = [...document.querySelectorAll("path[data-from]")];
  const style = getComputedStyle(document.body);
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    clipped: cards.filter((card) => card.scrollWidth > card.clientWidth + 1).map((card) => card.id),
    colours: [style.color, style.backgroundColor],
    cards: cards.map((card) => card.querySelector(".name").textContent),
    lines: cards.map((card) => card.querySelector("summary").innerText.split("\n")),
    arrows: arrows.filter((one) => one.getClientRects().length && one.getTotalLength() > 0).length,
    scripts: document.scripts.length,
  };
}

// Go through the cards with Tab, and open the first and the last with Enter.
async function useKeyboard(tab) {
  const count = await tab.$$eval(".card", (cards) => cards.length);
  const visited = [];
  for (let step = 0; step < count; step += 1) {
    await tab.keyboard.press("Tab");
    const before = await tab.evaluate(() => {
      const { activeElement: element } = document;
      const style = getComputedStyle(element);
      return { id: element.closest(".card")?.id, tag: element.tagName, outline: style.outlineStyle, width: style.outlineWidth };
    });
    visited.push(before);
    if (step === count - 1) await tab.keyboard.press("Enter");
  }
  const open = await tab.$$eval(".card[open]", (cards) => cards.map((card) => card.id));
  // The first link in the open card leads to a neighbour, which opens.
  await tab.keyboard.press("Tab");
  const link = await tab.evaluate(() => document.activeElement.getAttribute("href"));
  await tab.keyboard.press("Enter");
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const followed = await tab.evaluate(() => document.activeElement.closest(".card")?.id);
  const opened = await tab.$$eval(".card[open]", (cards) => cards.map((card) => card.id));
  return { visited, open, link, followed, opened };
}
