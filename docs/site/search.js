// The sidebar: search in titles, headings and names; the menu of small screens; copying of commands.
const root = document.body.dataset.root;
const [search, found, pages, menu, side] =
  ["search", "found", "pages", "menu", "side"].map((id) => document.getElementById(id));

search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (entry) => {
    const text = (entry[0] + " " + entry[2]).toLowerCase();
    if (!words.every((word) => text.includes(word))) return -1;
    return (entry[0].toLowerCase().startsWith(words[0]) ? 2 : 0) + (entry[2] ? 0 : 1);
  };
  const hits = words.length ? entries.map((entry) => [rank(entry), entry]).filter(([r]) => r >= 0) : [];
  hits.sort((a, b) => b[0] - a[0]);
  found.replaceChildren(...hits.slice(0, 20).map(([, [name, url, page]]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = root + "/" + url;
    link.textContent = name;
    if (page) link.append(Object.assign(document.createElement("small"), { textContent: page }));
    item.append(link);
    return item;
  }));
  if (words.length && !hits.length) found.append(Object.assign(document.createElement("li"), { textContent: "Nothing found" }));
  found.hidden = !words.length;
  pages.hidden = words.length > 0;
});

search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") found.querySelector("a")?.click();
});

menu.addEventListener("click", () => {
  menu.setAttribute("aria-expanded", String(side.classList.toggle("open")));
});

for (const block of document.querySelectorAll("pre.lang-console")) {
  const button = Object.assign(document.createElement("button"), { className: "copy", textContent: "Copy" });
  button.addEventListener("click", () => {
    const commands = block.querySelector("code").textContent.split("\n")
      .filter((line) => /^[$>] /.test(line)).map((line) => line.slice(2));
    navigator.clipboard?.writeText(commands.join("\n")).then(() => (button.textContent = "Copied"));
  });
  block.append(button);
}
