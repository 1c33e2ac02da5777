'use strict';
/**
 * Runs in the product's process before anything else (`--require`) and tells the longest time that its event loop was held since
 * it was asked last, in ms of CPU time of its thread: what other processes of a busy machine took away does not count. For
 * `/reference` it tells the same of a work that is always the same: how fast the machine is at the moment.
 */
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { Socket } = require('node:net');
const { isMainThread } = require('node:worker_threads');
const { measureReference } = require('./reference-work.cjs');

const LOOK_MS = 5;

if (isMainThread && process.env.HOLD_MONITOR_PORT) {
  const now = () => performance.now();
  /** CPU time of the main thread, ms. */
  const used = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  let longest = 0;
  let last = { now: now(), used: used() };
  const look = () => {
    const current = { now: now(), used: used() };
    longest = Math.max(longest, Math.min(current.now - last.now - LOOK_MS, current.used - last.used));
    last = current;
  };
  setInterval(look, LOOK_MS).unref();
  // A process that was kept waiting finds input of many sockets in one turn of the event loop: what it does for each of them is
  // no longer for being done one after the other.
  const { push } = Socket.prototype;
  Socket.prototype.push = function (...chunk) {
    if (now() - last.now > LOOK_MS) look();
    return push.apply(this, chunk);
  };
  createServer((request, response) => {
    response.setHeader('connection', 'close'); // a process that is held can't tell in time that a kept connection ended
    if (request.url === '/reference') {
      response.end(String(measureReference(used)));
      last = { now: now(), used: used() };
      return;
    }
    look();
    response.end(String(longest));
    longest = 0;
  })
    .listen(Number(process.env.HOLD_MONITOR_PORT), '127.0.0.1')
    .unref();
}
