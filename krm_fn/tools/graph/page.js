// Draw the arrows between the cards, and mark what belongs to the card that one points at. Without this, the page is
// complete: each card opens by itself, and links to its neighbours.
"use strict";

const graph = document.querySelector(".graph");
const arrows = [...graph.querySelectorAll("path[data-from]")];
const cards = new Map([...graph.querySelectorAll(".card")].map((card) => [card.id, card]));

// What a workload references is most often what it makes references too: such an arrow would only cross the others.
const makers = new Set(arrows.filter((arrow) => arrow.matches(".makes")).map((arrow) => arrow.dataset.from));
for (const arrow of arrows) arrow.classList.toggle("far", makers.has(arrow.dataset.from) && !arrow.matches(".makes"));

const TIP = 8;
const OUT = 40;

// An arrow leaves and enters at the height of the summary, which stays where it is when a card opens.
function box(id) {
  const card = cards.get(id);
  const around = graph.getBoundingClientRect();
  const [outer, lane] = [card.getBoundingClientRect(), card.closest(".lane").getBoundingClientRect()];
  const { top, height } = card.querySelector("summary").getBoundingClientRect();
  return {
    left: outer.left - around.left,
    right: outer.right - around.left,
    top: outer.top - around.top,
    bottom: outer.bottom - around.top,
    middle: top + height / 2 - around.top,
    laneLeft: lane.left - around.left,
    laneRight: lane.right - around.left,
  };
}

function curve(from, to) {
  const [a, b] = [box(from), box(to)];
  if (a.laneLeft === b.laneLeft) {
    const [start, end] = [a.left, b.left - TIP];
    const out = Math.min(start, end) - OUT;
    return `M${start},${a.middle}C${out},${a.middle},${out},${b.middle},${end},${b.middle}`;
  }
  if (a.laneLeft > b.laneLeft) return bend(`M${a.left},${a.middle}`, a.left, a.middle, b.right + TIP, b.middle);
  // Where another card is beside it, an arrow leaves below its card, and enters above it.
  const isLast = a.laneRight - a.right < 2;
  const isFirst = b.left - b.laneLeft < 2;
  const [x, y] = isLast ? [a.right, a.middle] : [a.laneRight, a.bottom + 5];
  const start = isLast ? `M${x},${y}` : `M${(a.left + a.right) / 2},${a.bottom}V${y}H${x}`;
  if (isFirst) return bend(start, x, y, b.left - TIP, b.middle);
  return `${bend(start, x, y, b.laneLeft, b.top - TIP - 2)}H${(b.left + b.right) / 2}V${b.top - TIP}`;
}

function bend(start, x1, y1, x2, y2) {
  const middle = (x1 + x2) / 2;
  return `${start}C${middle},${y1},${middle},${y2},${x2},${y2}`;
}

function draw() {
  for (const arrow of arrows) arrow.setAttribute("d", curve(arrow.dataset.from, arrow.dataset.to));
}

function mark(card) {
  graph.classList.toggle("busy", card !== null);
  const near = new Set(card ? [card.id] : []);
  for (const arrow of arrows) {
    const { from, to } = arrow.dataset;
    const isNear = card !== null && (from === card.id || to === card.id);
    arrow.classList.toggle("near", isNear);
    if (isNear) near.add(from).add(to);
  }
  for (const [id, one] of cards) one.classList.toggle("near", near.has(id));
}

function find(event) {
  return event.target.closest?.(".card") ?? null;
}

function open() {
  const card = cards.get(location.hash.slice(1));
  if (!card) return;
  card.open = true;
  card.querySelector("summary").focus();
}

graph.addEventListener("pointerover", (event) => mark(find(event)));
graph.addEventListener("pointerleave", () => mark(null));
graph.addEventListener("focusin", (event) => mark(find(event)));
graph.addEventListener("focusout", () => mark(null));
graph.addEventListener("toggle", draw, true);
window.addEventListener("hashchange", open);
new ResizeObserver(draw).observe(graph);
draw();
open();
