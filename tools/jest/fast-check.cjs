// Property tests draw the same cases in every run, unless PROPERTY_SEED says otherwise: a run that fails can be repeated, and a
// change is judged by what it changed. The path keeps Jest from mapping the name to this file again.
const path = require('node:path');
const library = require(path.resolve(__dirname, '../../node_modules/fast-check/lib/cjs/fast-check.js'));

library.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_260_101) });
module.exports = library;
