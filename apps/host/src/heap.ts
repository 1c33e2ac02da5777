import { setFlagsFromString } from 'node:v8';

// Before anything else is loaded. V8 allocates objects of code whose objects once lived long directly among the old ones: also
// rows and results, after one long import. Each then keeps the texts of an answer alive until the next full collection;
// a view of a calendar took half as much processor time again (see bench/README.md). Node takes this flag in no variable
// of the environment.
setFlagsFromString('--no-allocation-site-pretenuring');

// Bytes of buffers count as old objects once they are made, and only a collection of all objects lets the limit for them grow.
// V8 chooses the next limit by how quick it was lately: on a busy machine a tenth above what is in use, so that a gateway with
// 50 MB in use and answers of 100 KB marked its whole heap every half second, for three quarters of its processor time. Twice of
// what is in use is a middle of what V8 chooses by itself (1.1 to 4 times).
setFlagsFromString('--heap-growing-percent=100');
