// Filter the table, and show a part of a large one. Without this, the page is complete: it only has no field to filter with.
"use strict";

// A browser takes ten seconds to lay out 50,000 cells, and would do so with each letter in the field. So many take a tenth
// of one.
const MOST_CELLS = 300;
const FEW_ROWS = 20;
const MOST_COLUMNS = 50; // whose headings stay in view

const field = document.getElementById("filter");
const different = document.getElementById("different");
const output = document.querySelector("output");
const table = document.querySelector("table");
const [corner, ...heads] = document.querySelectorAll("thead th");
const headings = heads.map((cell) => ({ cell, text: read(cell) }));
const groups = [...document.querySelectorAll("tbody")].map((body) => {
  const title = body.querySelector(".set");
  const set = read(title);
  const rows = [...body.querySelectorAll(".base")].map((row) => {
    const [name, ...cells] = row.children;
    const found = cells.map((cell) => ({ cell, text: read(cell), isDifferent: cell.matches(".different") }));
    return { row, name, title: `${set} ${read(name)}`, cells: found };
  });
  return { body, title, rows };
});
const rows = groups.flatMap((group) => group.rows);
const parts = { columns: readPart("columns"), rows: readPart("rows") };

function read(element) {
  return element.textContent.toLowerCase();
}

function readPart(id) {
  const place = document.getElementById(id);
  const [before, after] = place.querySelectorAll("button");
  const part = { place, before, after, text: place.querySelector("span"), first: 0, most: 1 };
  before.addEventListener("click", () => move(part, -part.most));
  after.addEventListener("click", () => move(part, part.most));
  return part;
}

function move(part, by) {
  part.first += by;
  show();
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

let left = { columns: [], rows: [] };

function filter() {
  const { titles, columns, cells } = choose(field.value.toLowerCase().split(/\s+/).filter(Boolean));
  const positions = [...headings.keys()].filter((at) => columns.every((word) => headings[at].text.includes(word)));
  left = { columns: positions, rows: rows.filter(isLeft) };
  parts.columns.first = parts.rows.first = 0;
  output.textContent = `${left.rows.length} of ${rows.length} base names, ${positions.length} of ${headings.length} columns`;
  show();

  function isLeft(one) {
    return (
      titles.every((word) => one.title.includes(word)) &&
      cells.every((word) => positions.some((at) => one.cells[at].text.includes(word))) &&
      (!different.checked || positions.some((at) => one.cells[at].isDifferent))
    );
  }
}

// What is not shown is not in the document, so that nothing is computed for it.
function show() {
  parts.rows.most = Math.max(FEW_ROWS, Math.floor(MOST_CELLS / Math.max(1, left.columns.length)) - 1);
  const columns = Math.floor(MOST_CELLS / (1 + Math.min(left.rows.length, parts.rows.most)));
  parts.columns.most = Math.min(MOST_COLUMNS, columns);
  const shown = new Set(cut("rows", "base names"));
  const positions = cut("columns", "columns");
  corner.parentElement.replaceChildren(corner, ...positions.map((at) => headings[at].cell));
  const bodies = [];
  for (const { body, title, rows: members } of groups) {
    const present = members.filter((one) => shown.has(one));
    if (!present.length) continue;
    title.firstElementChild.colSpan = 1 + positions.length;
    for (const { row, name, cells } of present) row.replaceChildren(name, ...positions.map((at) => cells[at].cell));
    body.replaceChildren(title, ...present.map((one) => one.row));
    bodies.push(body);
  }
  table.replaceChildren(corner.closest("thead"), ...bodies);
}

function cut(id, what) {
  const { place, before, after, text, first, most } = parts[id];
  const all = left[id];
  const end = Math.min(first + most, all.length);
  place.hidden = all.length <= most;
  before.disabled = first === 0;
  after.disabled = end === all.length;
  text.textContent = `${what} ${first + 1} to ${end}`;
  return all.slice(first, end);
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
table.classList.remove("large");
