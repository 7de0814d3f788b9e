// Look at a site in Chromium, as a reader does: node site.mjs CHROMIUM URL FOLDER PAGES WORDS, the last two as JSON
// lists. What was seen is JSON on stdout, and pictures of it are in the folder.
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const [executablePath, url, folder, pages, words] = process.argv.slice(2);
const SIZES = { wide: [1300, 900, "light"], narrow: [420, 844, "dark"] };

const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const seen = { complaints: [], elsewhere: [], overflow: {}, sideways: {}, raw: {}, found: {} };
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
    await tab.waitForSelector(".md-search-result__item a", { timeout: 60000 });
    seen.found[one] = await tab.$$eval(".md-search-result__item > a", (links) => links.map((link) => link.href));
    await tab.screenshot({ path: join(folder, `search-${one.replaceAll(/\W/g, "-")}.png`) });
  }
} finally {
  await browser.close();
}
process.stdout.write(JSON.stringify(seen));

// This runs in the page. What is raw is Markdown that should have become a list, a table or a block of code.
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
    raw: texts.filter((text) => /(^|\n) *([*-] |\d+\. |\|)|```|\]\(/.test(text)),
  };
}
