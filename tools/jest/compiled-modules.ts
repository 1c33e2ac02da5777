import vm from 'node:vm';

// Jest runs each file in a context of its own, and compiles for it all modules of the product anew: half of the time that it
// takes to load them. A script is compiled once and runs in any context; with it stay the functions that V8 compiles when they
// are first called.

interface Compiled {
  readonly source: string;
  readonly script: vm.Script;
}

/** By parameters and file. */
const compiled = new Map<string, Compiled>();

/** Has the modules that Jest compiles in this worker stay compiled for the files that follow. */
export function keepCompiledModules(): void {
  const original = vm.compileFunction;
  const compile: typeof vm.compileFunction = (source, parameters, options = {}) => {
    const { filename, parsingContext } = options;
    if (!filename || !parsingContext) return original(source, parameters, options);
    // On the first line of the module, whose lines keep their numbers, for errors.
    const head = `(function (${(parameters ?? []).join(', ')}) {`;
    const key = `${head} ${filename}`;
    let entry = compiled.get(key);
    if (entry?.source !== source) {
      const script = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
      entry = { source, script };
      compiled.set(key, entry);
    }
    return entry.script.runInContext(parsingContext) as ReturnType<typeof vm.compileFunction>;
  };
  Object.assign(vm, { compileFunction: compile });
}
