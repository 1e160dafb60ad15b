// Draws a trace. In: the JSON in #trace. All of it becomes text nodes and attributes, never markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("trace").textContent);
  const find = (id) => document.getElementById(id);
  const chart = find("chart"), scroll = find("scroll");
  const TOP = 20, CORE = 20, LANE = 44, BOX = 22, BOX_TOP = 17, END = 48;
  const first = data.steps.reduce((least, step) => Math.min(least, step.x), Infinity);
  const places = data.steps.reduce((most, step) => Math.max(most, step.x - first + 1), 1);
  const boxOf = [], joinOf = [];
  let cell = 26, chosen = -1, current = 0, shown = 0;

  const html = (name, attributes, ...children) => build(document.createElement(name), attributes, children);
  const svg = (name, attributes, ...children) => build(document.createElementNS(chart.namespaceURI, name), attributes, children);
  function build(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }

  // Where things are ------------------------------------------------------------------------------------------
  const coreHeight = CORE + data.pipes.length * LANE;
  const nameOf = (core) => data.names[data.cores.indexOf(core)];
  const coreTop = (core) => TOP + data.cores.indexOf(core) * coreHeight;
  const laneTop = (core, pipe) => coreTop(core) + CORE + data.pipes.indexOf(pipe) * LANE;
  const left = (step) => (step.x - first) * cell + 4;
  const middle = (step) => [left(step) + cell / 2, step.pipe === "ALL"
    ? coreTop(step.core) + CORE + (data.pipes.length * LANE) / 2
    : laneTop(step.core, step.pipe) + BOX_TOP + BOX / 2];

  function words(step) {
    const what = step.flag ? `${step.call || step.kind} ${step.flag}` : step.call || step.kind;
    return `${what}, ${step.pipe === "ALL" ? "all pipes" : step.pipe} of ${nameOf(step.core)}, ${step.where || "no line"}`;
  }

  // The chart -------------------------------------------------------------------------------------------------
  function drawLabels() {
    const labels = find("labels");
    labels.append(html("div", { style: `height:${TOP}px` }));
    for (const core of data.cores) {
      labels.append(html("div", { class: "core", style: `height:${CORE}px` }, nameOf(core)));
      for (const pipe of data.pipes) {
        const colour = `height:${LANE}px;color:var(--${/^\w+$/.test(pipe) ? pipe : "S"})`;
        labels.append(html("div", { class: "pipe", style: colour }, pipe));
      }
    }
  }

  function draw() {
    const width = places * cell + END, height = TOP + data.cores.length * coreHeight + 8;
    chart.replaceChildren();
    chart.setAttribute("width", width);
    chart.setAttribute("height", height);
    const head = svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      svg("path", { class: "head", d: "M0 0 8 4 0 8Z" }));
    chart.append(svg("defs", {}, head));
    drawGrid(width, height);
    const steps = svg("g", {}), arrows = svg("g", { "aria-hidden": "true" });
    const next = roomBehind();
    data.steps.forEach((step, place) => {
      boxOf[place] = drawStep(step, place, next[place]);
      steps.append(boxOf[place]);
    });
    for (const [source, target] of data.arrows) {
      arrows.append(svg("path", { class: "flag", d: curve(data.steps[source], data.steps[target], 6, 8), "marker-end": "url(#head)" }));
    }
    data.findings.forEach((finding, number) => {
      if (finding.steps.length !== 2) return;
      const [a, b] = finding.steps.map((place) => data.steps[place]);
      joinOf[number] = svg("path", { class: "join", d: curve(a, b, 0, 0) });
      arrows.append(joinOf[number]);
    });
    for (const finding of data.findings) if (finding.stops !== null) steps.append(drawStop(finding));
    chart.append(arrows, steps);
    if (chosen >= 0) boxOf[chosen].classList.add("chosen");
    bringOut();
  }

  // A core that was ended: a cross behind its last step.
  const stopX = (core) => data.steps.reduce((most, step) => (step.core === core ? Math.max(most, left(step) + cell) : most), 4) + 10;
  function drawStop(finding) {
    const x = stopX(finding.stops), top = coreTop(finding.stops) + CORE;
    return svg("g", { class: "stop", role: "img", "aria-label": `${finding.kind}: ${nameOf(finding.stops)} ended here` },
      svg("line", { x1: x, x2: x, y1: top + 4, y2: top + data.pipes.length * LANE }),
      svg("text", { x: x - 5, y: top - 4 }, "✕"));
  }

  // The finding that is shown stands out from the others.
  function bringOut() {
    const now = data.findings.length ? data.findings[shown].steps : [];
    boxOf.forEach((box, place) => box.classList.toggle("now", now.includes(place)));
    joinOf.forEach((join, number) => join.classList.toggle("now", number === shown));
  }

  function drawGrid(width, height) {
    const every = cell < 12 ? 50 : 10;
    for (let x = Math.ceil(first / every) * every; x < first + places; x += every) {
      const at = (x - first) * cell + 4;
      chart.append(svg("line", { class: "grid", x1: at, x2: at, y1: TOP, y2: height }));
      chart.append(svg("text", { class: "tick", x: at + 2, y: 13, "aria-hidden": "true" }, String(x)));
    }
    for (const core of data.cores) {
      for (const pipe of data.pipes) {
        const y = laneTop(core, pipe);
        chart.append(svg("line", { class: "lane", x1: 0, x2: width, y1: y, y2: y }));
      }
    }
  }

  // How many places there are to the next access of the same lane: room for a name.
  function roomBehind() {
    const room = [], ahead = new Map();
    for (let place = data.steps.length - 1; place >= 0; place--) {
      const step = data.steps[place], lane = `${step.core} ${step.pipe}`;
      room[place] = (ahead.has(lane) ? ahead.get(lane) : first + places + 2) - step.x;
      if (step.kind === "access") ahead.set(lane, step.x);
    }
    return room;
  }

  function drawStep(step, place, room) {
    const all = step.pipe === "ALL";
    const top = all ? coreTop(step.core) + CORE : laneTop(step.core, step.pipe);
    const tall = all ? data.pipes.length * LANE : LANE;
    const x = left(step), [mx, my] = middle(step);
    const marked = data.findings.some((finding) => finding.steps.includes(place));
    const node = svg("g", {
      class: `step ${step.kind}${marked ? " marked" : ""}`, role: "img", tabindex: place === current ? 0 : -1,
      "aria-label": words(step) + (marked ? ", part of a finding" : ""), style: `--c:var(--${/^\w+$/.test(step.pipe) ? step.pipe : "S"})`,
    });
    node.append(svg("rect", { class: "hit", x, y: top + 1, width: cell, height: tall - 2, rx: 4 }));
    if (step.kind === "access") {
      const gap = cell > 8 ? 2 : 0.5;
      node.append(svg("rect", { class: "shape", x: x + gap, y: top + BOX_TOP, width: cell - 2 * gap, height: BOX, rx: Math.min(4, cell / 4) }));
      if (step.call.length * 6.4 < room * cell) node.append(svg("text", { x: x + gap, y: top + 12 }, step.call));
    } else if (step.flag) {
      node.append(svg("circle", { class: "shape", cx: mx, cy: my, r: Math.min(5, cell / 3) }));
    } else {
      const wide = step.kind === "sync_all" ? 6 : 4;
      node.append(svg("rect", { class: "shape", x: mx - wide / 2, y: top + 3, width: wide, height: tall - 6, rx: 2 }));
    }
    node.addEventListener("pointerenter", () => choose(place));
    node.addEventListener("click", () => {
      choose(place, true);
      find("details").scrollIntoView({ block: "nearest" }); // below the chart on a phone
    });
    node.addEventListener("focus", () => choose(place));
    return node;
  }

  function curve(a, b, before, behind) {
    let [x1, y1] = middle(a), [x2, y2] = middle(b);
    const way = x2 >= x1 ? 1 : -1;
    x1 += way * before;
    x2 -= way * behind;
    if (y1 === y2) {
      const high = y1 - BOX / 2 - 4;
      return `M${x1} ${y1 - BOX / 2}C${x1} ${high - 10} ${x2} ${high - 10} ${x2} ${y2 - BOX / 2}`;
    }
    const bend = Math.max(Math.abs(x2 - x1) / 2, 6) * way;
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }

  // What is chosen --------------------------------------------------------------------------------------------
  function choose(place, keep) {
    if (chosen >= 0 && boxOf[chosen]) boxOf[chosen].classList.remove("chosen");
    boxOf[current].setAttribute("tabindex", -1);
    chosen = current = place;
    boxOf[place].classList.add("chosen");
    boxOf[place].setAttribute("tabindex", 0);
    showDetails(data.steps[place]);
    showLine(data.steps[place].line, keep);
  }

  function showDetails(step) {
    const list = html("dl");
    const row = (name, ...values) => {
      if (values.length) list.append(html("dt", {}, name), html("dd", {}, ...values));
    };
    if (step.where) row("line", html("code", {}, step.where));
    if (step.text) row("source", html("code", {}, step.text));
    row("pipe", `${step.pipe === "ALL" ? "all" : step.pipe}, ${nameOf(step.core)}`);
    row("run", `${step.iteration + 1} of this line on this core`);
    if (step.flag) row("flag", step.flag);
    for (const [name, ranges] of [["reads", step.reads], ["writes", step.writes]]) {
      row(name, ...ranges.map((range) => html("div", {}, range)));
    }
    row("place", `${step.x} in program order`);
    find("details").replaceChildren(html("h2", {}, step.call ? `asc.${step.call}` : step.kind), list);
  }

  let shownLine = null;
  function showLine(line, scrolls) {
    if (shownLine) shownLine.classList.remove("chosen");
    shownLine = line ? find(`line-${line[0]}-${line[1]}`) : null;
    if (!shownLine) return;
    shownLine.classList.add("chosen");
    const box = find("source"), above = shownLine.offsetTop - box.offsetTop;
    if (scrolls !== false && box.scrollHeight > box.clientHeight) box.scrollTop = above - box.clientHeight / 2;
  }

  // The way to a step: in the middle of the part of the chart that can be seen.
  function reveal(places) {
    if (!places.length) return;
    const spots = places.map((place) => middle(data.steps[place]));
    const xs = spots.map((spot) => spot[0]), ys = spots.map((spot) => spot[1]);
    const center = (values) => (Math.min(...values) + Math.max(...values)) / 2;
    scroll.scrollLeft = center(xs) - (scroll.clientWidth - find("labels").offsetWidth) / 2;
    scroll.scrollTop = center(ys) - scroll.clientHeight / 2;
  }

  // Findings --------------------------------------------------------------------------------------------------
  function showFinding(number, jump) {
    const panel = find("finding");
    if (!data.findings.length) {
      panel.replaceChildren(html("strong", {}, "Nothing found"), html("p", {}, "The checked twin found nothing wrong in this launch."));
      return;
    }
    shown = (number + data.findings.length) % data.findings.length;
    const finding = data.findings[shown];
    panel.className = finding.severity;
    bringOut();
    const top = html("div", { class: "top" }, html("h2", { class: "kind" }, finding.kind + finding.again));
    if (data.findings.length > 1) {
      const turn = (step, sign, name) => {
        const button = html("button", { type: "button", "aria-label": name }, sign);
        button.addEventListener("click", () => {
          showFinding(shown + step, true);
          find("finding").querySelector(`[aria-label="${name}"]`).focus();
        });
        return button;
      };
      top.append(html("div", { class: "turn" }, `finding ${shown + 1} of ${data.findings.length}`,
        turn(-1, "‹", "Previous finding"), turn(1, "›", "Next finding")));
    }
    panel.replaceChildren(top, html("p", { class: "message" }, finding.message));
    for (const place of finding.places) {
      panel.append(html("div", { class: "place" }, html("span", { class: "who" }, place.who),
        html("span", { class: "code" }, html("span", { class: "where" }, `${place.where}  `), place.text)));
    }
    if (finding.hint) panel.append(html("p", { class: "hint" }, html("strong", {}, "How to fix it: "), finding.hint));
    if (jump && finding.steps.length) {
      choose(finding.steps[finding.steps.length - 1], true);
      reveal(finding.steps);
    } else if (jump && finding.stops !== null) {
      scroll.scrollLeft = stopX(finding.stops) - scroll.clientWidth / 2;
      scroll.scrollTop = coreTop(finding.stops) - scroll.clientHeight / 4;
    }
    if (!finding.steps.length && finding.places.length) showLine(finding.places[0].line);
  }

  // Source ----------------------------------------------------------------------------------------------------
  function drawSource() {
    const marked = new Set(data.findings.flatMap((finding) => finding.places.map((place) => String(place.line))));
    data.sources.forEach((source, number) => {
      const block = html("pre", { tabindex: 0, "aria-label": `Source of ${source.name}` });
      source.lines.forEach((text, offset) => {
        const line = [number, source.first + offset];
        block.append(html("span", { class: marked.has(String(line)) ? "row marked" : "row", id: `line-${line[0]}-${line[1]}` },
          html("b", {}, String(line[1])), `${text}\n`));
      });
      find("source").append(html("h2", {}, `${source.name}, ${source.file}`), block);
    });
  }

  // Keys and buttons ------------------------------------------------------------------------------------------
  function neighbour(key) {
    const step = data.steps[current];
    if (key === "Home") return 0;
    if (key === "End") return data.steps.length - 1;
    if (key === "ArrowLeft") return Math.max(0, current - 1);
    if (key === "ArrowRight") return Math.min(data.steps.length - 1, current + 1);
    const lanes = data.cores.flatMap((core) => data.pipes.map((pipe) => `${core} ${pipe}`));
    const own = lanes.indexOf(`${step.core} ${step.pipe === "ALL" ? data.pipes[0] : step.pipe}`);
    for (let lane = own + (key === "ArrowUp" ? -1 : 1); lane >= 0 && lane < lanes.length; lane += key === "ArrowUp" ? -1 : 1) {
      let best = -1;
      data.steps.forEach((other, place) => {
        const nearer = best < 0 || Math.abs(other.x - step.x) < Math.abs(data.steps[best].x - step.x);
        if (`${other.core} ${other.pipe}` === lanes[lane] && nearer) best = place;
      });
      if (best >= 0) return best;
    }
    return current;
  }

  chart.addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const node = boxOf[neighbour(event.key)];
    node.focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  function zoom(wanted) {
    const room = scroll.clientWidth - find("labels").offsetWidth;
    const center = (scroll.scrollLeft + room / 2) / cell;
    cell = Math.min(90, Math.max(3, wanted));
    draw();
    scroll.scrollLeft = center * cell - room / 2;
  }
  const fit = () => (scroll.clientWidth - find("labels").offsetWidth - END - 4) / places;
  find("in").addEventListener("click", () => zoom(cell * 1.4));
  find("out").addEventListener("click", () => zoom(cell / 1.4));
  find("fit").addEventListener("click", () => zoom(fit()));

  // Start -----------------------------------------------------------------------------------------------------
  find("about").textContent = data.about;
  for (const note of data.notes) find("notes").append(html("li", {}, note));
  drawLabels();
  drawSource();
  find("details").append(html("p", {}, "Point at a box, tap it, or move with the arrow keys: its line of Python is shown here."));
  // A short trace fills the width.
  cell = Math.min(44, Math.max(26, fit()));
  draw();
  showFinding(0, true);
})();
