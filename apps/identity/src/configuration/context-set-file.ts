import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { propertyByKey, parseProperty } from '@groupware/contracts';
import { parse } from 'yaml';
import { parseTagExpression, type TagExpression } from '../domain/tag-expression';

/** Values for all contexts and users whose tags satisfy an expression. */
export interface ContextSet {
  readonly name: string;
  readonly holds: TagExpression;
  readonly values: Readonly<Record<string, string>>;
}

/** Content of the context set files, with the problems found in them. */
export interface ContextSetFiles {
  readonly sets: readonly ContextSet[];
  readonly problems: readonly string[];
  /** Files and folders that were read. */
  readonly files: readonly string[];
}

/** Key of the expression within a set. */
const TAGS = 'withTags';

/** Values of one set; those that cannot be set for contexts are problems. */
function parseValues(entries: readonly (readonly [string, unknown])[], place: string, problems: string[]) {
  const values: Record<string, string> = {};
  for (const [key, value] of entries) {
    const declaration = propertyByKey(key);
    const text = ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
    if (text === undefined) problems.push(`${place}: ${key} is neither text nor number nor boolean`);
    else if (declaration && declaration.scopes.every((scope) => scope === 'server'))
      problems.push(`${place}: ${key} can be set for the server only`);
    else if (declaration && parseProperty(declaration, text) === undefined)
      problems.push(`${place}: ${JSON.stringify(text)} does not fit ${key}`);
    else values[key] = text;
  }
  return values;
}

function parseSets(tree: unknown, file: string, problems: string[]): ContextSet[] {
  if (tree === null || tree === undefined) return [];
  if (typeof tree !== 'object' || Array.isArray(tree)) {
    problems.push(`${file}: a mapping of names to sets expected`);
    return [];
  }
  return Object.entries(tree as Record<string, unknown>).flatMap(([name, block]) => {
    const place = `${file}, ${name}`;
    if (typeof block !== 'object' || block === null || Array.isArray(block)) {
      problems.push(`${place}: a mapping of properties to values expected`);
      return [];
    }
    const { [TAGS]: expression, ...rest } = block as Record<string, unknown>;
    if (typeof expression !== 'string') {
      problems.push(`${place}: ${TAGS} is missing`);
      return [];
    }
    try {
      return [
        { name, holds: parseTagExpression(expression), values: parseValues(Object.entries(rest), place, problems) },
      ];
    } catch (error) {
      problems.push(`${place}: ${(error as Error).message}`);
      return [];
    }
  });
}

/** Reads YAML files, and those of folders in the order of their names: blocks `name: {withTags: expression, key: value}`. */
export function readContextSets(places: readonly string[]): ContextSetFiles {
  const sets: ContextSet[] = [];
  const problems: string[] = [];
  const files: string[] = [];
  for (const place of places)
    try {
      files.push(place);
      const inside = statSync(place).isDirectory()
        ? readdirSync(place)
            .filter((name) => /^[^.].*\.ya?ml$/i.test(name))
            .sort()
            .map((name) => path.join(place, name))
        : [place];
      for (const file of inside) {
        if (file !== place) files.push(file);
        sets.push(...parseSets(parse(readFileSync(file, 'utf8')), file, problems));
      }
    } catch (error) {
      problems.push(`${place}: ${(error as Error).message.split('\n')[0]}`);
    }
  return { sets, problems, files };
}
