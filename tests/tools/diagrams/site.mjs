// Look at a site in Chromium, as a reader does: node site.mjs CHROMIUM URL FOLDER PAGES WORDS, the last two as JSON
// lists. What was seen is JSON on stdout, and pictures of it are in the folder.
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const [executablePath, url, folder, pages, words] = process.argv.slice(2);
const SIZES = { wide: [1300, 900, "light"], narrow: [420, 844, "dark"] };

const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const seen = { complaints: [], elsewhere: [], overflow: {}, sideways: {}, raw: {}, broken: {}, unlabelled: {}, found: {} };
try {
  const tab = await browser.newPage();
  tab.on("console", (message) => seen.complaints.push(message.text()));
  tab.on("pageerror", (error) => seen.complaints.push(String(error)));
  tab.on("request", (request) => {
    if (!request.url().startsWith(url) && !/^(data|blob):/.test(request.url())) seen.elsewhere.push(request.url());
  });
  for (const [name, [width, height, scheme]] of Object.entries(SIZES)) {
    await tab.setViewport({ width, height });
    await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const page of JSON.parse(pages)) {
      await tab.goto(url + page, { waitUntil: "load" });
      const look = await tab.evaluate(measure);
      if (look.overflow > 0) seen.overflow[`${page} ${name}`] = look.overflow;
      if (look.sideways.length) seen.sideways[`${page} ${name}`] = look.sideways;
      if (look.raw.length) seen.raw[page] = look.raw;
      if (look.broken.length) seen.broken[`${page} ${name}`] = look.broken;
      if (look.unlabelled.length && name == "narrow") seen.unlabelled[page] = look.unlabelled;
      await tab.screenshot({ path: join(folder, `${page.replaceAll("/", "_")}${name}.png`) });
    }
  }
  await tab.setViewport({ width: 1280, height: 900 });
  for (const one of JSON.parse(words)) {
    await tab.goto(url, { waitUntil: "load" });
    await tab.click(".md-search__input");
    // All words at once, and one key: to type them shows what is found for their beginning first.
    await tab.keyboard.sendCharacter(one);
    await tab.keyboard.press("End");
    await tab.waitForFunction(isAnswered, { timeout: 60000 });
    seen.found[one] = await tab.$$eval(".md-search-result__item > a", (links) => links.map((link) => link.href));
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));

function isAnswered() {
  const said = document.querySelector(".md-search-result__meta").textContent;
  return said.includes("No matching documents") || document.querySelector(".md-search-result__item > a") !== null;
}

// This runs in the page, too. What is raw is Markdown that should have become a list, a table or a block of code. What is
// broken is an option in a line of text, after one of its hyphens. A cell below its row says the header of its column.
function measure() {
  const texts = [...document.querySelectorAll("article p, article li, article td")].map((one) => {
    const copy = one.cloneNode(true);
    copy.querySelectorAll("code").forEach((code) => code.remove());
    return copy.textContent;
  });
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    sideways: [...document.querySelectorAll("article pre > code")]
      .filter((code) => code.scrollWidth > code.clientWidth + 1)
      .map((code) => code.textContent.slice(0, 40)),
    broken: [...document.querySelectorAll("article :not(pre) > code")]
      .flatMap((code) => [...code.childNodes].map((node) => node.firstChild ?? node))
      .flatMap((node) =>
        [...node.textContent.matchAll(/(?<![\w-])--?[A-Za-z][\w-]*/g)].filter((option) => {
          const range = document.createRange();
          range.setStart(node, option.index);
          range.setEnd(node, option.index + option[0].length);
          return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size > 1;
        }),
      )
      .map((option) => option[0]),
    unlabelled: [...document.querySelectorAll("article table:not([class]) td:not(:first-child)")]
      .filter((cell) => {
        const header = cell.closest("table").querySelectorAll("th")[cell.cellIndex].textContent;
        return header && getComputedStyle(cell, "::before").content !== JSON.stringify(`${header}: `);
      })
      .map((cell) => getComputedStyle(cell, "::before").content),
    raw: texts.filter((text) => /(^|\n) *([*-] |\d+\. |\|)|```|\]\(/.test(text)),
  };
}
