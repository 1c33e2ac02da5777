import { setFlagsFromString } from 'node:v8';

// Before anything else is loaded. V8 allocates objects of code whose objects once lived long directly among the old ones: also
// rows and results, after one long import. Each then keeps the texts of an answer alive until the next full collection;
// a view of a calendar took half as much processor time again (see bench/README.md). Node takes this flag in no variable
// of the environment.
setFlagsFromString('--no-allocation-site-pretenuring');
