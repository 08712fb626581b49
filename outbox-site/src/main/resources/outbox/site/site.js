(() => {
  "use strict";

  const root = document.body.dataset.root;
  const MOST_RESULTS = 30;
  const LESS_LIKELY = new Set(["The project", ""]);

  const menuButton = document.getElementById("menu-button");
  const showMenu = open => {
    document.body.classList.toggle("menu-open", open);
    menuButton.setAttribute("aria-expanded", String(open));
    menuButton.textContent = open ? "Close" : "Menu";
  };
  menuButton.addEventListener("click", () => showMenu(!document.body.classList.contains("menu-open")));
  document.getElementById("menu").addEventListener("click", event => {
    if (event.target.closest("a")) showMenu(false);
  });
  const menu = document.getElementById("menu");
  const current = menu.querySelector("[aria-current]");
  if (current && current.offsetTop > menu.clientHeight) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;

  for (const block of document.querySelectorAll(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      button.textContent = await copy(block.querySelector("pre")) ? "Copied" : "Not copied";
      button.classList.add("done");
      setTimeout(() => { button.textContent = "Copy"; button.classList.remove("done"); }, 1500);
    });
    block.append(button);
  }

  async function copy(element) {
    try {
      await navigator.clipboard.writeText(element.textContent);
      return true;
    } catch {
      const selection = getSelection();
      selection.selectAllChildren(element);
      const copied = document.execCommand("copy");
      selection.removeAllRanges();
      return copied;
    }
  }

  if (matchMedia("(max-width: 75rem)").matches) document.querySelector(".contents details")?.removeAttribute("open");

  /* The heading that was last passed is the current one of the table of contents. */
  const parts = [...document.querySelectorAll(".contents a")]
    .map(link => ({ link, heading: document.getElementById(decodeURIComponent(link.hash.slice(1))) }))
    .filter(part => part.heading);
  if (parts.length) {
    const follow = () => {
      const passed = parts.filter(part => part.heading.getBoundingClientRect().top < 120);
      parts.forEach(part => part.link.classList.toggle("here", part === passed[passed.length - 1]));
    };
    addEventListener("scroll", follow, { passive: true });
    follow();
  }

  /* Diagrams: drawn again when the colour scheme changes. */
  const diagrams = [...document.querySelectorAll("pre.mermaid")].map(node => ({ node, source: node.textContent }));
  if (diagrams.length) {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const draw = async () => {
      mermaid.initialize({ startOnLoad: false, theme: "base", securityLevel: "strict", fontFamily: "system-ui, sans-serif", themeVariables: colours(dark.matches) });
      for (const { node, source } of diagrams) {
        node.removeAttribute("data-processed");
        node.textContent = source;
      }
      await mermaid.run({ nodes: diagrams.map(diagram => diagram.node) });
      /* A wide diagram scrolls rather than shrink until it cannot be read. */
      for (const svg of document.querySelectorAll(".mermaid > svg")) svg.style.minWidth = `${.6 * parseFloat(svg.style.maxWidth)}px`;
    };
    addEventListener("DOMContentLoaded", () => {
      if (!window.mermaid) return;
      draw();
      dark.addEventListener("change", draw);
    });
  }

  function colours(darkMode) {
    const style = getComputedStyle(document.documentElement);
    const value = name => style.getPropertyValue(name).trim();
    return {
      darkMode, background: value("--back"), primaryColor: value("--accent-back"), primaryTextColor: value("--ink"), primaryBorderColor: value("--accent"),
      secondaryColor: value("--side"), tertiaryColor: value("--side"), lineColor: value("--dim"), textColor: value("--ink"), edgeLabelBackground: value("--back"),
      labelBackgroundColor: value("--back"), transitionLabelColor: value("--ink"), transitionColor: value("--dim"), specialStateColor: value("--dim"),
      noteBkgColor: value("--side"), noteTextColor: value("--ink"), noteBorderColor: value("--line"), fontSize: "15px",
    };
  }

  const field = document.getElementById("search");
  const results = document.getElementById("results");
  let index;
  function load() {
    index ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = root + "assets/search-index.js";
      script.onload = () => resolve(prepare(window.searchIndex));
      script.onerror = reject;
      document.head.append(script);
    });
    return index;
  }

  function prepare({ sections, types }) {
    return [
      ...sections.map(([url, page, heading, group, text]) => ({
        url, page, heading, group, text, title: (heading || page).toLowerCase(), above: page.toLowerCase(), body: text.toLowerCase(),
      })),
      ...types.map(([url, name, space]) => ({
        url, page: name, heading: "", group: "Javadoc", text: space, title: name.toLowerCase(), above: "", body: space.toLowerCase(),
      })),
    ];
  }

  /* Every word must occur; a match in a heading counts more than one in the text, a whole word more than a part. */
  function score(entry, words) {
    let sum = 0;
    for (const word of words) {
      const found = weigh(entry.title, word, 40) + weigh(entry.above, word, 8) + weigh(entry.body, word, 4);
      if (!found) return 0;
      sum += found;
    }
    if (entry.title === words.join(" ")) sum += entry.group === "Javadoc" ? 70 : 60;
    if (!entry.heading && entry.group !== "Javadoc") sum *= 1.3;
    return LESS_LIKELY.has(entry.group) ? sum / 4 : sum;
  }

  function weigh(text, word, weight) {
    let sum = 0;
    for (let at = text.indexOf(word), times = 0; at >= 0 && times < 4; at = text.indexOf(word, at + 1), times++) {
      const starts = at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);
      const ends = at + word.length === text.length || !/[\p{L}\p{N}]/u.test(text[at + word.length]);
      sum += weight * (starts ? (ends ? 1 : .7) : .3) / (times + 1);
    }
    return sum;
  }

  async function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return close();
    let entries;
    try {
      entries = await load();
    } catch {
      return show([message("The search index cannot be loaded.")]);
    }
    if (field.value.toLowerCase().split(/\s+/).filter(Boolean).join(" ") !== words.join(" ")) return;
    const found = entries.map(entry => ({ entry, score: score(entry, words) }))
      .filter(result => result.score > 0)
      .sort((a, b) => b.score - a.score);
    const shown = found.slice(0, MOST_RESULTS).map(result => link(result.entry, words));
    const count = found.length > MOST_RESULTS ? `${MOST_RESULTS} of ${found.length} results` : `${found.length} result${found.length === 1 ? "" : "s"}`;
    show([message(found.length ? count : `No result for “${field.value.trim()}”`), ...shown]);
  }

  function message(text) {
    const line = document.createElement("p");
    line.setAttribute("role", "status");
    line.textContent = text;
    return line;
  }

  function link(entry, words) {
    const element = document.createElement("a");
    element.href = root + entry.url;
    const title = document.createElement("strong");
    title.append(...marked(entry.heading || entry.page, words));
    const where = document.createElement("em");
    where.textContent = entry.heading ? entry.page : entry.group;
    const excerpt = document.createElement("span");
    excerpt.append(...marked(around(entry, words), words));
    element.append(title, where, excerpt);
    return element;
  }

  function around(entry, words) {
    const first = Math.min(...words.map(word => entry.body.indexOf(word)).filter(at => at >= 0), entry.text.length);
    const start = first > 60 && first < entry.text.length ? entry.text.indexOf(" ", first - 60) + 1 : 0;
    const end = entry.text.length < start + 180 ? entry.text.length : entry.text.lastIndexOf(" ", start + 180);
    return (start ? "… " : "") + entry.text.slice(start, end) + (end < entry.text.length ? " …" : "");
  }

  function marked(text, words) {
    const pattern = new RegExp(`(${words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
    return text.split(pattern).map((part, i) => {
      if (i % 2 === 0) return part;
      const mark = document.createElement("mark");
      mark.textContent = part;
      return mark;
    });
  }

  function show(children) {
    results.replaceChildren(...children);
    results.scrollTop = 0;
    results.hidden = false;
  }

  function close() {
    results.hidden = true;
  }

  function move(step) {
    const links = [...results.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement) + step;
    (at < 0 ? field : links[Math.min(at, links.length - 1)])?.focus();
  }

  field.addEventListener("focus", () => { load().catch(() => {}); if (field.value) search(); });
  field.addEventListener("input", search);
  field.addEventListener("keydown", event => {
    if (event.key === "Enter") results.querySelector("a")?.click();
  });
  field.parentElement.addEventListener("keydown", event => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      close();
      field.focus();
      field.select();
    }
  });
  addEventListener("keydown", event => {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === "Escape") {
      showMenu(false);
    }
  });
  results.addEventListener("click", event => { if (event.target.closest("a")) close(); });
  addEventListener("pointerdown", event => { if (!field.parentElement.contains(event.target)) close(); });
  field.parentElement.addEventListener("focusout", event => {
    if (event.relatedTarget && !field.parentElement.contains(event.relatedTarget)) close();
  });
})();
