// SPDX-License-Identifier: MIT
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
for (const box of document.querySelectorAll('.metrics')) {  // one metric at a time
  const tables = [...box.querySelectorAll('[data-metric]')];
  if (tables.length < 2) continue;
  const label = document.createElement('label'), select = document.createElement('select');
  label.className = 'choice';
  label.append('metric ', select);
  for (const table of tables) select.add(new Option(table.dataset.metric));
  const choose = () => tables.forEach(table => { table.hidden = table.dataset.metric !== select.value; });
  select.addEventListener('change', choose);
  box.replaceChildren(label, ...tables);
  choose();
}
for (const svg of document.querySelectorAll('figure svg')) {  // a file that looks the same without the page
  const save = document.createElement('button');
  save.type = 'button';
  save.className = 'save';
  save.textContent = 'SVG';
  const name = svg.querySelector('title').textContent;
  save.setAttribute('aria-label', `Save as SVG: ${name}`);
  save.addEventListener('click', () => {
    const copy = svg.cloneNode(true), style = document.createElementNS(svg.namespaceURI, 'style');
    style.textContent = document.querySelector('style').textContent;
    copy.prepend(style);
    copy.setAttribute('xmlns', svg.namespaceURI);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], {type: 'image/svg+xml'}));
    link.download = name.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '') + '.svg';
    link.click();
    URL.revokeObjectURL(link.href);
  });
  (svg.closest('figure .box') || svg).after(save);
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
