// Read diagrams with Mermaid and Graphviz: a JSON list of {mermaid, dot} on stdin, a list of what they hold on stdout.
import { JSDOM } from "jsdom";

const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const { default: mermaid } = await import("mermaid");
const { Graphviz } = await import("@hpcc-js/wasm-graphviz");
const graphviz = await Graphviz.load();

const decode = (label) => {
  // As Mermaid does in decodeEntities, and then the browser.
  const area = document.createElement("textarea");
  area.innerHTML = label.replace(/ﬂ°°/g, "&#").replace(/ﬂ°/g, "&").replace(/¶ß/g, ";");
  return area.value;
};

async function readMermaid(text) {
  await mermaid.parse(text); // registers the kinds of diagrams, too
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  return {
    nodes: [...db.getVertices().values()].map(({ id, text, classes }) => ({ id, label: decode(text), classes })),
    edges: db.getEdges().map(({ start, end, text, stroke }) => ({ start, end, label: text, stroke })),
    subgraphs: db.getSubGraphs().map(({ id, title, nodes }) => ({ id, title: decode(title), nodes })),
  };
}

const diagrams = JSON.parse(await new Response(process.stdin).text());
const found = [];
for (const { mermaid, dot } of diagrams) {
  const graph = JSON.parse(graphviz.layout(dot, "dot_json", "dot"));
  found.push({ mermaid: await readMermaid(mermaid), dot: graph, svg: graphviz.layout(dot, "svg", "dot") });
}
process.stdout.write(JSON.stringify(found));
