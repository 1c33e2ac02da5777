import vm from 'node:vm';
import { keepCompiledModules } from './compiled-modules';

describe('modules that stay compiled', () => {
  const original = vm.compileFunction;
  beforeEach(() => keepCompiledModules());
  afterEach(() => Object.assign(vm, { compileFunction: original }));

  const compile = (source: string, filename: string, parsingContext = vm.createContext({})) =>
    vm.compileFunction(source, ['module', 'exports'], { filename, parsingContext }) as (...args: unknown[]) => unknown;

  it('run in the context of each file, with state of their own', () => {
    const source = 'globalThis.count = (globalThis.count ?? start) + 1; return [count, module, exports];';
    const [one, other] = [vm.createContext({ start: 10 }), vm.createContext({ start: 20 })];
    expect(compile(source, '/a.js', one)('m', 'e')).toEqual([11, 'm', 'e']);
    expect(compile(source, '/a.js', other)('m', 'e')).toEqual([21, 'm', 'e']);
    expect(compile(source, '/a.js', one)('m', 'e')).toEqual([12, 'm', 'e']);
  });

  it('are those of the text that was handed over', () => {
    expect(compile('return 1;', '/b.js')()).toBe(1);
    expect(compile('return 2; // no line feed follows', '/b.js')()).toBe(2);
    expect(compile('return 3;', '/c.js')()).toBe(3);
  });

  it('name the places of errors', () => {
    const failed = compile('throw new Error("1");', '/d.js');
    expect(() => failed()).toThrow(expect.objectContaining({ stack: expect.stringContaining('/d.js:1:7') as string }));
    expect(() => compile('\n  no code', '/e.js')).toThrow(
      expect.objectContaining({ stack: expect.stringContaining('/e.js:2') as string }),
    );
  });

  it('are compiled once', () => {
    let count = 0;
    class CountedScript extends vm.Script {
      constructor(...parts: ConstructorParameters<typeof vm.Script>) {
        super(...parts);
        count += 1;
      }
    }
    const { Script } = vm;
    Object.assign(vm, { Script: CountedScript });
    expect([compile('return 4;', '/f.js')(), compile('return 4;', '/f.js')()]).toEqual([4, 4]);
    Object.assign(vm, { Script });
    expect(count).toBe(1);
  });
});
