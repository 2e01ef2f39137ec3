"use strict";
// The charts of a report: their numbers stand in the page.
{
  const charts = JSON.parse(document.getElementById("charts").textContent);
  Windward.begin();
  for (const chart of charts) Windward.add(document.getElementById("chart-" + chart.key), chart);
}
