// Draw the arrows between the cards, and mark what belongs to the card that one points at. Without this, the page is
// complete: each card opens by itself, and links to its neighbours.
"use strict";

const graph = document.querySelector(".graph");
const arrows = [...graph.querySelectorAll("path[data-from]")];
const cards = new Map([...graph.querySelectorAll(".card")].map((card) => [card.id, card]));

// An arrow leaves and enters at the height of the summary, which stays where it is when a card opens.
function box(id) {
  const { left, right } = cards.get(id).getBoundingClientRect();
  const { top, height } = cards.get(id).querySelector("summary").getBoundingClientRect();
  const around = graph.getBoundingClientRect();
  return { left: left - around.left, right: right - around.left, middle: top + height / 2 - around.top };
}

const TIP = 8;
const OUT = 40;

function curve(from, to) {
  const [a, b] = [box(from), box(to)];
  const isBeside = a.right > b.left && b.right > a.left;
  const isForward = a.right <= b.left;
  const [start, end] = isForward ? [a.right, b.left - TIP] : [a.left, isBeside ? b.left - TIP : b.right + TIP];
  const middle = isBeside ? Math.min(start, end) - OUT : (start + end) / 2;
  return `M${start},${a.middle}C${middle},${a.middle},${middle},${b.middle},${end},${b.middle}`;
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
