// Runs the report view of docs/AddingThings.md on a page with one element.
// usage: node check_view.js ROOT
const fs = require('fs'),
  path = require('path'),
  vm = require('vm'),
  assert = require('assert');

const root = process.argv[2];
const node = {};
const page = vm.createContext({ document: { getElementById: (id) => (id === 'longest-phase' ? node : null) } });
for (const file of ['assets/report/format.js', 'examples/adding/longest.js'])
  vm.runInContext(fs.readFileSync(path.join(root, file), 'utf8'), page, { filename: file });

const show = (run) => {
  page.run = run;
  vm.runInContext('showLongestPhase(run)', page);
  return node.textContent;
};
assert.equal(show({ phase_times: [] }), 'no phases');
const text = show({ phase_times: [{ name: 'a', time: 1000 }, { name: 'b', time: 5000 }] });
assert.match(text, /^b: 5(\.0*)? ns$/);
