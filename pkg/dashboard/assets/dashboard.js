// SPDX-License-Identifier: Apache-2.0

"use strict";
// Shows the present state of a page: the server tells of changes, and the page is fetched again. Pages
// work without this script.
(() => {
  const live = () => document.getElementById("live");
  const sign = document.getElementById("stream");
  if (!live() || !live().dataset.events) return;
  const url = new URL(live().dataset.events, location.href);
  url.searchParams.set("since", live().dataset.since);
  const stream = new EventSource(url);
  const say = (text) => { sign.textContent = text; };
  stream.onopen = () => say("Follows changes.");
  stream.onerror = () => say(stream.readyState === EventSource.CLOSED ? "No longer follows changes." : "The connection is lost; trying again.");
  stream.addEventListener("changed", async () => {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    const text = await answer.text();
    // Another kind of page, such as the report of work that has ended, comes as a whole.
    if (!answer.ok || answer.redirected || !text.includes('<div id="live" data-events="/')) {
      location.reload();
      return;
    }
    const page = new DOMParser().parseFromString(text, "text/html");
    live().replaceWith(document.adoptNode(page.getElementById("live")));
  });
  document.documentElement.dataset.live = "1";
})();
