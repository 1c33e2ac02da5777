import { AsyncLocalStorage } from 'node:async_hooks';

// Costs that grow with the files that a worker has run, and with the classes that a file loads.

const entered = new Set<AsyncLocalStorage<unknown>>();

for (const method of ['run', 'enterWith'] as const) {
  const original = AsyncLocalStorage.prototype[method] as (...args: unknown[]) => unknown;
  Object.assign(AsyncLocalStorage.prototype, {
    [method](this: AsyncLocalStorage<unknown>, ...args: unknown[]) {
      entered.add(this);
      return original.apply(this, args);
    },
  });
}

/** Ends the storages that were entered: Node keeps every one of them, and looks at each whenever a promise is made. */
export function disableStorages(): void {
  for (const storage of entered) storage.disable();
  entered.clear();
}

interface RuleStorage {
  addValidationMetadata(metadata: unknown): void;
  getTargetValidationMetadatas(target: unknown, schema?: string, ...options: unknown[]): unknown[];
}

/** Remembers the rules of each class, for which class-validator looks through those of all classes whenever it checks a value. */
function rememberRules(storage: RuleStorage): RuleStorage {
  const known = new Map<unknown, unknown[]>();
  const add = storage.addValidationMetadata.bind(storage);
  const find = storage.getTargetValidationMetadatas.bind(storage);
  return Object.assign(storage, {
    addValidationMetadata(metadata: unknown) {
      known.clear();
      add(metadata);
    },
    getTargetValidationMetadatas(target: unknown, schema?: string, ...options: unknown[]) {
      // Groups are of no use here; the others are.
      if (schema !== undefined || options.some(Boolean)) return find(target, schema, ...options);
      let rules = known.get(target);
      if (!rules) known.set(target, (rules = find(target, schema, ...options)));
      return rules;
    },
  });
}

/** Has the storage of class-validator, which it keeps in the global object, remember the rules of classes. */
export function quickenValidation(global: object): void {
  let storage: RuleStorage | undefined;
  Object.defineProperty(global, 'classValidatorMetadataStorage', {
    configurable: true,
    get: () => storage,
    set: (made: RuleStorage) => (storage = rememberRules(made)),
  });
}
