// SPDX-License-Identifier: MIT
// How the page looks. Colours by Okabe and Ito, which the colour-blind can tell apart; where a colour means
// something, a mark, a dash or a word says it too.
#include "report/parts.hpp"

namespace concord::report {

const char* const page_style = R"css(
:root {
  color-scheme: light dark;
  --paper: #fdfdfc; --panel: #f4f4f1; --ink: #1b1f23; --soft: #5c6470; --rule: #dcdcd6; --grid: #e6e6e1; --shade: #00000026;
  --accent: #0064a4; --attract: #0072b2; --repel: #d55e00; --better: #0064a4; --worse: #b34a00; --failed: #a3123a;
  --s0: #0072b2; --s1: #d55e00; --s2: #009e73; --s3: #b3589a; --s4: #3aa0dc; --s5: #c98a00; --s6: #1b1f23; --s7: #7a6a00;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #15181c; --panel: #1e2228; --ink: #e7e9ec; --soft: #a2abb7; --rule: #343b45; --grid: #2a3038; --shade: #ffffff26;
    --accent: #6cb8f0; --attract: #56b4e9; --repel: #f08a3c; --better: #6cb8f0; --worse: #f3a261; --failed: #ff8fa8;
    --s0: #56a8e0; --s1: #f08040; --s2: #2cc295; --s3: #da8cc0; --s4: #9bd2f5; --s5: #f0b840; --s6: #e7e9ec; --s7: #cfc24a;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body {
  margin: 0 auto; max-width: 1120px; padding: 28px 20px 60px; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4em; letter-spacing: -.015em; }
h2 { font-size: 1.35rem; margin: 2.4em 0 .5em; padding-top: .5em; border-top: 2px solid var(--ink); letter-spacing: -.01em; }
h3 { font-size: 1.05rem; margin: 1.6em 0 .4em; }
h4 { font-size: .95rem; margin: .6em 0 .2em; }
p { margin: .4em 0 .7em; max-width: 46em; }
a { color: var(--accent); }
small { font-size: .78em; color: var(--soft); }
.facts { color: var(--soft); font-size: .88rem; max-width: none; }
.facts span:not(:last-child)::after { content: " · "; }
nav { margin: 1em 0 0; font-size: .92rem; }
nav a { display: inline-block; margin-right: 1.1em; padding: .15em 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 235px), 1fr)); gap: 12px; }
.cards article { background: var(--panel); border-radius: 8px; padding: 12px 16px; }
.cards h3 { margin: 0; color: var(--soft); font-weight: 600; }
.cards p { margin: .25em 0; font-size: .88rem; line-height: 1.4; }
.cards .big small { font-size: .8rem; font-weight: 400; letter-spacing: 0; white-space: nowrap; }
.cards .big { font-size: 2.1rem; line-height: 1.15; font-weight: 650; font-variant-numeric: tabular-nums; letter-spacing: -.02em; }
.box { overflow-x: auto; max-width: 100%; background: linear-gradient(to left, var(--paper) 30%, transparent) right / 44px 100% local,
  linear-gradient(to left, var(--shade), transparent) right / 16px 100% scroll; background-repeat: no-repeat; }
.box:focus-visible { outline: 2px solid var(--accent); }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
thead th { text-align: right; vertical-align: bottom; font-weight: 600; border-bottom: 1.5px solid var(--ink); }
thead th[scope=colgroup] { text-align: center; border-bottom: 1px solid var(--rule); }
thead th:first-child, tbody th { text-align: left; }
th, td { padding: 6px 10px; }
td { text-align: right; vertical-align: top; white-space: nowrap; border-bottom: 1px solid var(--rule); }
tbody th { font-weight: 600; vertical-align: top; border-bottom: 1px solid var(--rule); }
td small, th small { display: block; line-height: 1.35; font-weight: 400; }
.tall { max-height: min(80vh, 44rem); overflow-y: auto; }
.tall thead th { position: sticky; top: 0; background: var(--paper); z-index: 2; box-shadow: inset 0 -1.5px var(--ink); }
.tall thead th:first-child { z-index: 3; }
.main tr > th:first-child, .cells tr > th:first-child { position: sticky; left: 0; background: var(--paper); z-index: 1; }
.main thead tr:nth-child(2) > th:first-child { position: static; }
th.name, td.name, td.better, td.worse { text-align: left; }
td.name { white-space: normal; min-width: 8em; }
.cells td.name { white-space: nowrap; min-width: 0; }
td.best { background: var(--panel); }
.star { color: var(--accent); }
.better { color: var(--better); font-weight: 600; }
.worse { color: var(--worse); font-weight: 600; }
.failed { color: var(--failed); }
td.failed small { white-space: normal; color: inherit; }
abbr { text-decoration: underline dotted; cursor: help; }
.caption, figcaption { font-size: .84rem; color: var(--soft); line-height: 1.45; }
.sortable thead th { padding: 0; text-align: left; }
.sortable button { all: unset; cursor: pointer; padding: 6px 10px; width: 100%; box-sizing: border-box; color: inherit; }
.sortable button:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.sortable button::after { content: " ↕"; color: var(--soft); font-weight: 400; }
.sortable [aria-sort=ascending] button::after { content: " ↑"; color: var(--accent); }
.sortable [aria-sort=descending] button::after { content: " ↓"; color: var(--accent); }
.sortable [data-n] { text-align: right; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 350px), 1fr)); gap: 20px 28px; align-items: start; }
.thirds { grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); }
.prior { display: flex; flex-wrap: wrap; gap: 16px 28px; }
.prior .heatmap { max-width: 100%; }
.prior .graph { flex: 1 1 320px; max-width: 480px; }
.heatmap figcaption { width: 0; min-width: 100%; } /* the picture decides how wide it is */
figure { margin: 0; min-width: 0; }
figure h4 { margin: .2em 0 .5em; }
figure svg { display: block; width: 100%; max-width: 540px; height: auto; }
figure .box svg { max-width: none; width: var(--w); }
svg { font: 11px/1 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; }
svg text { fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 2.5px; stroke-linejoin: round; }
svg .tick { fill: var(--soft); font-size: 10px; font-variant-numeric: tabular-nums; }
svg .axis { fill: var(--soft); }
svg .weak { fill: var(--soft); }
svg .strong { font-weight: 600; }
svg .grid { stroke: var(--grid); fill: none; }
svg .zero { stroke: var(--ink); stroke-width: 1; }
svg .catch { stroke: transparent; stroke-width: 18; fill: none; }
svg .whisker { stroke: currentColor; stroke-width: 2; fill: none; }
svg .mark { fill: currentColor; stroke: currentColor; stroke-width: 1.8; }
svg .mark.hollow { fill: var(--paper); }
svg g.neither { color: var(--soft); }
svg .front { stroke: var(--accent); stroke-width: 1.5; fill: none; stroke-dasharray: 1 3; stroke-linecap: round; }
svg .point { fill: var(--paper); stroke: var(--soft); stroke-width: 1.6; }
svg .point.on-front { fill: var(--accent); stroke: var(--paper); }
svg .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); } .s2 { stroke: var(--s2); } .s3 { stroke: var(--s3); }
.s4 { stroke: var(--s4); } .s5 { stroke: var(--s5); } .s6 { stroke: var(--s6); } .s7 { stroke: var(--s7); }
.d1 { stroke-dasharray: 7 3; } .d2 { stroke-dasharray: 2 2.5; } .d3 { stroke-dasharray: 9 3 2 3; }
.series.chosen [data-s]:not(.chosen) { opacity: .15; }
.series path.chosen { stroke-width: 3; }
.legend { list-style: none; margin: .3em 0 0; padding: 0; font-size: .84rem; display: flex; flex-wrap: wrap; gap: .2em 1.2em; }
.legend li { cursor: default; }
.legend svg { vertical-align: middle; }
svg .quartiles { stroke: var(--accent); stroke-opacity: .22; stroke-width: 14; fill: none; }
svg .dots { stroke: var(--accent); stroke-opacity: .55; stroke-width: 4; stroke-linecap: round; fill: none; }
svg .median { stroke: var(--ink); stroke-width: 2; fill: none; }
svg .attract { fill: var(--attract); } svg .repel { fill: var(--repel); }
svg .none { fill: var(--grid); fill-opacity: .5; } svg .ground { fill: transparent; } svg .diagonal { fill: var(--soft); fill-opacity: .35; }
.o1 { fill-opacity: .14; } .o2 { fill-opacity: .3; } .o3 { fill-opacity: .46; } .o4 { fill-opacity: .64; } .o5 { fill-opacity: .82; }
svg .edge { fill: none; stroke-opacity: .8; stroke-linecap: round; }
svg .edge.attract { stroke: var(--attract); }
svg .edge.repel { stroke: var(--repel); stroke-dasharray: 7 6; }
svg .edge:hover { stroke-opacity: 1; }
svg .node { fill: var(--ink); }
.attract-text { color: var(--attract); } .repel-text { color: var(--repel); }
.lists { display: flex; flex-wrap: wrap; gap: 0 40px; flex: 1 1 100%; }
.lists > div { flex: 1 1 260px; max-width: 480px; }
.pairs { list-style: none; margin: 0; padding: 0; font-size: .88rem; line-height: 1.4; }
.pairs li { padding-left: 4.4em; text-indent: -4.4em; }
.pairs small { display: inline-block; width: 5.2em; padding-right: .8em; text-indent: 0; text-align: right; font-variant-numeric: tabular-nums; }
details { margin: .6em 0; }
summary { cursor: pointer; color: var(--accent); font-size: .92rem; }
pre { font: .8rem/1.45 ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; background: var(--panel); padding: 10px 12px;
  border-radius: 6px; overflow-x: auto; margin: .4em 0; }
td pre { margin: 0; padding: 4px 8px; white-space: pre-wrap; }
.key { max-width: 18em; }
#tip { position: fixed; z-index: 9; pointer-events: none; max-width: min(320px, 90vw); padding: 5px 9px; border-radius: 6px;
  background: var(--ink); color: var(--paper); font-size: .82rem; line-height: 1.35; }
#tip[hidden] { display: none; }
@media (max-width: 600px) {
  body { padding: 18px 14px 40px; }
  h1 { font-size: 1.5rem; }
  th, td { padding: 5px 7px; }
  .sortable button { padding: 5px 7px; }
  figure .box svg { width: calc(.85 * var(--w)); }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, #tip { display: none; }
  figure, article, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .box, .tall { overflow: visible; max-height: none; background: none; }
  .tall thead th, .main tr > th:first-child, .cells tr > th:first-child { position: static; }
  table { font-size: 7.5pt; }
  th, td, .sortable button { padding: 2px 3px; }
  td small { white-space: nowrap; }
  .cells td.name { white-space: normal; }
  .grid { grid-template-columns: 1fr 1fr; gap: 12px; }
  .thirds { grid-template-columns: 1fr 1fr 1fr; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  .sortable button::after { content: ""; }
}
)css";

const char* const page_script = R"js(
'use strict';
for (const table of document.querySelectorAll('table.sortable')) {
  table.tHead.addEventListener('click', event => {
    const th = event.target.closest('th');
    if (!th) return;
    const ascending = th.getAttribute('aria-sort') !== 'ascending';
    for (const other of th.parentNode.cells) other.removeAttribute('aria-sort');
    th.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
    const number = 'n' in th.dataset;
    const rows = [...table.tBodies[0].rows].map(row => {
      const cell = row.cells[th.cellIndex];
      return [number ? cell.dataset.v : cell.textContent, row];
    });
    rows.sort(([a], [b]) => {
      if (a === '' || b === '') return (a === '') - (b === '');  // what is missing comes last
      const order = number ? a - b : a.localeCompare(b);
      return ascending ? order : -order;
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
  });
}
const tip = document.createElement('div');
tip.id = 'tip';
tip.hidden = true;
document.body.append(tip);
function heat(group, event) {
  const svg = group.ownerSVGElement;
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const {size, top, names, values} = group.dataset;
  const i = Math.floor((at.y - top) / size), j = Math.floor(at.x / size);
  const name = names.split('\n'), value = Number(values.split(' ')[i * (i + 1) / 2 + j]);
  if (!(j >= 0 && j <= i && i < name.length - 1)) return '';
  if (i === j) return `${name[i]}: ${value} on the diagonal`;
  return `${name[i]} ${value < 0 ? 'attracts' : value > 0 ? 'repels' : 'is neutral to'} ${name[j]}: ${value}`;
}
function show(event) {
  const target = event.target.closest ? event.target : event.target.parentNode;
  const group = target.closest('.heat');
  let text = group ? heat(group, event) : '';
  for (let at = target; !text && at && at.closest('svg') && at.tagName !== 'svg'; at = at.parentNode) {
    const title = at.querySelector(':scope > title');
    if (title) {  // ours instead of the browser's
      at.dataset.tip = title.textContent;
      title.remove();
    }
    text = at.dataset.tip || '';
  }
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const {width, height} = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - width - 4)) + 'px';
  tip.style.top = (event.clientY + 16 + height > innerHeight ? event.clientY - height - 8 : event.clientY + 16) + 'px';
}
document.addEventListener('pointermove', show);
document.addEventListener('pointerdown', show);
addEventListener('scroll', () => { tip.hidden = true; }, {passive: true});
for (const series of document.querySelectorAll('.series')) {
  series.addEventListener('pointerover', event => {
    const chosen = event.target.closest('[data-s]');
    series.classList.toggle('chosen', !!chosen);
    for (const part of series.querySelectorAll('[data-s]'))
      part.classList.toggle('chosen', !!chosen && part.dataset.s === chosen.dataset.s);
  });
  series.addEventListener('pointerleave', () => series.classList.remove('chosen'));
}
)js";

}  // namespace concord::report
