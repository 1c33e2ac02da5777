import { readFileSync } from 'node:fs';
import { validateSync } from 'class-validator';
import { Secret } from './secret';

/** Options of a setting. */
export interface SettingOptions {
  /** Name of the environment variable. With the suffix `_FILE` it names a file that holds the value. */
  readonly env: string;
  readonly doc: string;
  /** Kind of the value; default: that of the property's initial value, else text. */
  readonly type?: 'text' | 'int' | 'boolean' | 'list' | 'secret';
}

/** A setting with the place its value came from. */
export interface EffectiveSetting extends SettingOptions {
  readonly property: string;
  readonly value: unknown;
  readonly source: 'environment' | 'file' | 'default';
}

/** A class whose properties are declared with {@link Setting}. */
export type SettingsClass<T extends object = object> = new () => T;

const declared = new Map<object, (SettingOptions & { property: string })[]>();

/**
 * Declares one process setting. The default is the initial value of the property; rules of class-validator may stand
 * beside it.
 */
export const Setting =
  (options: SettingOptions): PropertyDecorator =>
  (target, property) => {
    const type = target.constructor;
    declared.set(type, [...(declared.get(type) ?? []), { ...options, property: String(property) }]);
  };

/** The declarations of a class. */
export const listSettings = (type: SettingsClass): readonly (SettingOptions & { property: string })[] =>
  declared.get(type) ?? [];

/** All problems of all settings of a process, in one error. */
export class BadSettings extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings classes from the environment and validates them.
 * @throws BadSettings with every problem of every class
 */
export function loadSettings<T extends readonly SettingsClass[]>(
  types: T,
  environment: Environment,
): { instances: Map<SettingsClass, object>; effective: EffectiveSetting[] } {
  const problems: string[] = [];
  const effective: EffectiveSetting[] = [];
  const instances = new Map<SettingsClass, object>();
  for (const type of types) {
    const instance = new type() as Record<string, unknown>;
    const bad = new Set<string>();
    for (const setting of listSettings(type)) {
      const raw = readText(setting.env, environment, problems);
      if (raw.text !== undefined) {
        const value = parse(setting, raw.text, instance[setting.property]);
        if (value === undefined) {
          problems.push(
            `${setting.env} (${setting.doc}): ${JSON.stringify(raw.text)} is no ${resolveKind(setting, instance)}`,
          );
          bad.add(setting.property);
        } else instance[setting.property] = value;
      }
      effective.push({ ...setting, value: instance[setting.property], source: raw.source });
    }
    for (const error of validateSync(instance, { forbidUnknownValues: false })) {
      if (bad.has(error.property)) continue;
      const setting = listSettings(type).find((candidate) => candidate.property === error.property);
      problems.push(`${setting?.env ?? error.property}: ${Object.values(error.constraints ?? {}).join('; ')}`);
    }
    instances.set(type, instance);
  }
  if (problems.length > 0) throw new BadSettings(problems);
  return { instances, effective };
}

function readText(
  name: string,
  environment: Environment,
  problems: string[],
): { text?: string; source: EffectiveSetting['source'] } {
  const file = environment[`${name}_FILE`];
  if (file) {
    try {
      return { text: readFileSync(file, 'utf8').trim(), source: 'file' };
    } catch {
      problems.push(`${name}_FILE: the file can't be read`);
      return { source: 'default' };
    }
  }
  const text = environment[name];
  return text === undefined || text === '' ? { source: 'default' } : { text, source: 'environment' };
}

function resolveKind(setting: SettingOptions & { property: string }, instance: Record<string, unknown>): string {
  if (setting.type) return setting.type;
  const initial = instance[setting.property];
  if (typeof initial === 'number') return 'int';
  if (typeof initial === 'boolean') return 'boolean';
  return Array.isArray(initial) ? 'list' : 'text';
}

function parse(setting: SettingOptions & { property: string }, text: string, initial: unknown): unknown {
  switch (resolveKind(setting, { [setting.property]: initial })) {
    case 'int':
      return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'boolean':
      return /^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : undefined;
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'secret':
      return new Secret(text);
    default:
      return text;
  }
}
