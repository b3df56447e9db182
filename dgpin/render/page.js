"use strict";
// A click on a heading sorts its table by that column, a second one the other way round.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = head.querySelector("button");
    if (!button) return;
    button.addEventListener("click", () => {
      const rises = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", rises ? "ascending" : "descending");
      const body = table.tBodies[0];
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.sort ?? cell.textContent.trim();
      };
      const order = new Intl.Collator("en", { numeric: true });
      const rows = [...body.rows].sort((a, b) => {
        const [one, other] = [key(a), key(b)];
        const [x, y] = [Number(one), Number(other)];
        const both = one !== "" && other !== "" && !Number.isNaN(x) && !Number.isNaN(y);
        return (both ? x - y : order.compare(one, other)) * (rises ? 1 : -1);
      });
      body.append(...rows);
    });
  });
}
