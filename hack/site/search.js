'use strict';
// The search of the site. It loads the sections of all pages when the reader first looks
// for something, and ranks those that have all words of the query.
(() => {
  const root = document.currentScript.dataset.root;
  const form = document.querySelector('form[role=search]');
  const query = document.getElementById('query');
  const found = document.getElementById('found');
  const most = 20;
  const around = 160;

  // rank is how well a section answers: words in titles count more than in the text.
  function rank(section, words) {
    let sum = 0;
    for (const word of words) {
      const inPage = section.page.toLowerCase().includes(word);
      const inTitle = section.title.toLowerCase().includes(word);
      const inText = section.lower.includes(word);
      if (!inPage && !inTitle && !inText) return 0;
      sum += 4 * inTitle + 3 * inPage + inText;
    }
    return sum;
  }

  function excerpt(section, words) {
    const at = Math.max(0, section.lower.indexOf(words.find((word) => section.lower.includes(word)) ?? '') - around / 2);
    return (at > 0 ? '… ' : '') + section.text.slice(at, at + around) + (at + around < section.text.length ? ' …' : '');
  }

  function element(name, text, attributes = {}) {
    const e = document.createElement(name);
    e.textContent = text;
    return Object.assign(e, attributes);
  }

  function show() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = words.length === 0;
    if (found.hidden || !globalThis.sections) return;
    const ranked = globalThis.sections
      .map((section) => ({ section, score: rank(section, words) }))
      .filter((hit) => hit.score > 0)
      .sort((a, b) => b.score - a.score);
    const list = document.createElement('ol');
    for (const { section } of ranked.slice(0, most)) {
      const item = document.createElement('li');
      const title = section.title === section.page ? section.page : `${section.page}: ${section.title}`;
      item.append(element('a', title, { href: root + section.link }), element('p', excerpt(section, words)));
      list.append(item);
    }
    const count = ranked.length > most ? `the best ${most} of ${ranked.length} sections` : `${ranked.length} sections`;
    found.replaceChildren(element('p', ranked.length ? count : 'No section has all of these words.'), list);
  }

  let loading = false;
  function load() {
    if (loading) return;
    loading = true;
    const script = document.createElement('script');
    script.src = root + 'sections.js';
    script.onload = () => {
      for (const section of globalThis.sections) section.lower = section.text.toLowerCase();
      show();
    };
    document.head.append(script);
  }

  form.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  query.addEventListener('focus', load);
  query.addEventListener('input', () => { load(); show(); });
  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === '/' && !typing) {
      event.preventDefault();
      query.focus();
    }
    if (event.key === 'Escape' && typing) {
      query.value = '';
      show();
      query.blur();
    }
  });
})();
