// Filter the table. Without this, the page is complete: it only has no field to filter with.
"use strict";

const field = document.getElementById("filter");
const different = document.getElementById("different");
const output = document.querySelector("output");
const headings = [...document.querySelectorAll("thead th")].slice(1).map((cell) => ({ cell, text: read(cell) }));
const groups = [...document.querySelectorAll("tbody")].map((body) => ({
  body,
  rows: [...body.querySelectorAll(".base")].map((row) => ({
    row,
    title: `${read(body.querySelector(".set"))} ${read(row.querySelector("th"))}`,
    cells: [...row.querySelectorAll("td")].map((cell) => ({ cell, text: read(cell) })),
  })),
}));
const rows = groups.flatMap((group) => group.rows);

function read(element) {
  return element.textContent.toLowerCase();
}

// A word means the rows with it in their title, else the columns, else the rows with it in a cell.
function choose(words) {
  const chosen = { titles: [], columns: [], cells: [] };
  for (const word of words) {
    const isTitle = rows.some((one) => one.title.includes(word));
    const isColumn = headings.some((one) => one.text.includes(word));
    chosen[isTitle ? "titles" : isColumn ? "columns" : "cells"].push(word);
  }
  return chosen;
}

function filter() {
  const { titles, columns, cells } = choose(field.value.toLowerCase().split(/\s+/).filter(Boolean));
  const shown = headings.map((one) => columns.every((word) => one.text.includes(word)));
  headings.forEach((one, position) => (one.cell.hidden = !shown[position]));
  for (const one of rows) {
    const visible = one.cells.filter((_, position) => shown[position]);
    one.cells.forEach(({ cell }, position) => (cell.hidden = !shown[position]));
    one.row.hidden =
      !titles.every((word) => one.title.includes(word)) ||
      !cells.every((word) => visible.some(({ text }) => text.includes(word))) ||
      (different.checked && !visible.some(({ cell }) => cell.matches(".different")));
  }
  for (const { body, rows: members } of groups) body.hidden = members.every((one) => one.row.hidden);
  const left = rows.filter((one) => !one.row.hidden).length;
  output.textContent = `${left} of ${rows.length} base names, ${shown.filter(Boolean).length} of ${headings.length} columns`;
}

field.addEventListener("input", filter);
different.addEventListener("change", filter);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape" && document.activeElement === field) {
    field.value = "";
    filter();
  }
});
document.querySelector(".filter").hidden = false;
filter();
