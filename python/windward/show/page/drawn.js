"use strict";
// Figures that matplotlib has drawn: pointing reads values off their axes, dragging zooms, a double click or Escape shows the whole.
for (const figure of document.querySelectorAll("figure.drawn")) {
  const svg = figure.querySelector("svg"), said = figure.querySelector("output.at");
  if (!svg || !svg.viewBox.baseVal || !svg.viewBox.baseVal.width) continue;
  const { x, y, width, height } = svg.viewBox.baseVal, whole = [x, y, width, height], axes = JSON.parse(svg.dataset.axes || "[]");
  const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  let view = whole, from = null, drawn = null;
  frame.setAttribute("class", "select");

  const look = ends => { view = ends; svg.setAttribute("viewBox", ends.join(" ")); };
  const place = event => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, at.y];
  };
  const along = (share, low, high, isLog) => isLog ? low * (high / low) ** share : low + share * (high - low);
  const text = (value, low, high) => {
    const digits = Math.max(0, Math.min(6, 3 - Math.ceil(Math.log10(Math.abs(high - low) || 1))));
    return Math.abs(value) >= 1e5 || (value && Math.abs(value) < 1e-3) ? value.toPrecision(3) : value.toFixed(digits);
  };
  function read([px, py]) {
    const one = axes.find(([left, top, wide, tall]) => px >= left && px <= left + wide && py >= top && py <= top + tall);
    said.textContent = "";
    if (!one) return;
    const [left, top, wide, tall, x0, x1, y0, y1, isLogX, isLogY] = one;
    const across = along((px - left) / wide, x0, x1, isLogX), up = along(1 - (py - top) / tall, y0, y1, isLogY);
    said.textContent = `x ${text(across, x0, x1)}, y ${text(up, y0, y1)}`;
  }
  function zoom(factor, [px, py]) {
    const size = [view[2] * factor, view[3] * factor];
    if (size[0] >= whole[2]) look(whole);
    else look([px - (px - view[0]) * factor, py - (py - view[1]) * factor, ...size]);
  }

  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", figure.getAttribute("aria-label"));
  svg.addEventListener("pointerdown", event => { if (event.button === 0) from = place(event); });
  svg.addEventListener("pointermove", event => {
    const at = place(event);
    read(at);
    if (!from) return;
    drawn = [Math.min(from[0], at[0]), Math.min(from[1], at[1]), Math.abs(at[0] - from[0]), Math.abs(at[1] - from[1])];
    ["x", "y", "width", "height"].forEach((name, number) => frame.setAttribute(name, drawn[number]));
    if (!frame.parentNode) svg.append(frame);
  });
  const end = () => { from = drawn = null; frame.remove(); };
  svg.addEventListener("pointerup", () => {
    // Less than a hundredth is a click.
    if (drawn && drawn[2] > whole[2] / 100 && drawn[3] > whole[3] / 100) look(drawn);
    end();
  });
  svg.addEventListener("pointerleave", () => { said.textContent = ""; end(); });
  svg.addEventListener("dblclick", () => look(whole));
  svg.addEventListener("keydown", event => {
    const middle = [view[0] + view[2] / 2, view[1] + view[3] / 2];
    const go = (right, down) => look([view[0] + 0.1 * right * view[2], view[1] + 0.1 * down * view[3], view[2], view[3]]);
    const keys = {
      "+": () => zoom(0.7, middle), "=": () => zoom(0.7, middle), "-": () => zoom(1 / 0.7, middle), Escape: () => look(whole),
      ArrowLeft: () => go(-1, 0), ArrowRight: () => go(1, 0), ArrowUp: () => go(0, -1), ArrowDown: () => go(0, 1),
    };
    if (!keys[event.key] || (event.key.startsWith("Arrow") && view === whole)) return;
    event.preventDefault();
    keys[event.key]();
  });
  addEventListener("beforeprint", () => look(whole));
}
