// Loaded into a process of the product (NODE_OPTIONS): SIGUSR2 moves its clock by CLOCK_JUMP_MS, and back.
const Real = Date;
let offsetMs = 0;
process.on('SIGUSR2', () => (offsetMs = offsetMs === 0 ? Number(process.env.CLOCK_JUMP_MS) : 0));
const now = () => Real.now() + offsetMs;
globalThis.Date = new Proxy(Real, {
  apply: () => new Real(now()).toString(),
  construct: (target, values, newTarget) => Reflect.construct(target, values.length > 0 ? values : [now()], newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
