import {
  MODULE_ALIASES,
  operations,
  moduleNames,
  RequestErrors,
  type HttpMethod,
  type Operation,
} from '@groupware/contracts';

/** The operations of one module by action and method; the empty action is the call without one. */
export type ModuleRoutes = ReadonlyMap<string, ReadonlyMap<HttpMethod, Operation>>;

/** Match of a path of the REST API. */
export interface RestMatch {
  /** Absent when the path is known and the method is not. */
  readonly operation?: Operation;
  readonly params: Readonly<Record<string, string>>;
  /** Methods the path knows, for the header Allow. */
  readonly allow: readonly HttpMethod[];
}

interface RestNode {
  readonly statics: Map<string, RestNode>;
  /** The place of a parameter; its names belong to the operations. */
  parameter?: RestNode;
  readonly operations: Map<HttpMethod, Operation>;
}

const node = (): RestNode => ({ statics: new Map(), operations: new Map() });
/** Values that a place of a module's path may take: names that operators chose, and ids. */
const PLACE_VALUE = /^[\w.-]{1,64}$/;
const isPlace = (segment: string): boolean => segment.startsWith('{') && segment.endsWith('}');

const countPlaces = (segments: readonly string[]): number => segments.filter(isPlace).length;

/** Every route of one listener, derived from contracts. */
export class RouteTable {
  private readonly modules = new Map<string, Map<string, Map<HttpMethod, Operation>>>();
  private readonly patterns: { readonly segments: readonly string[]; readonly name: string }[] = [];
  private readonly rest = node();
  /** Operations that share action and method, by the one that was declared first. */
  private readonly variants = new Map<Operation, Operation[]>();

  constructor(
    listener: 'public' | 'internal',
    declared: readonly Operation[] = operations,
    knownModules: Iterable<string> = moduleNames,
  ) {
    if (listener === 'public') for (const name of knownModules) this.modules.set(name, new Map());
    for (const operation of declared) {
      if (operation.kind === 'internal' || operation.listener !== listener) continue;
      if (operation.kind === 'action') this.addAction(operation);
      else this.addRest(operation);
    }
    for (const [alias, { module }] of Object.entries(MODULE_ALIASES)) {
      const actions = this.modules.get(module);
      if (actions) this.modules.set(alias, actions);
    }
  }

  private addAction(operation: Operation): void {
    const actions = this.modules.get(operation.module) ?? new Map<string, Map<HttpMethod, Operation>>();
    this.modules.set(operation.module, actions);
    this.addPaths(operation, actions);
    const methods = actions.get(operation.action ?? '') ?? new Map<HttpMethod, Operation>();
    actions.set(operation.action ?? '', methods);
    const other = methods.get(operation.http);
    if (other?.http === operation.http && (other.selector ?? operation.selector)) {
      this.variants.set(other, [...(this.variants.get(other) ?? [other]), operation]);
      return;
    }
    if (other && other.http === operation.http)
      // eslint-disable-next-line groupware/no-stray-errors -- a mistake of the contracts ends the start
      throw new Error(`${operation.module}.${operation.name} and ${other.name} claim the same route`);
    methods.set(operation.http, operation);
    // A GET that also takes a form is sent as POST by clients that use the form.
    // Clients post to the login module whatever they want of it, the logout among it, with all parameters in a form.
    const isPosted = operation.body?.kind === 'form' || operation.module === 'login';
    if (operation.http === 'GET' && isPosted && !methods.has('POST')) methods.set('POST', operation);
  }

  /** Paths that lead to a module besides its name; a fixed one is a name of its own. */
  private addPaths(operation: Operation, actions: Map<string, Map<HttpMethod, Operation>>): void {
    for (const path of [operation.module, ...(operation.paths ?? [])]) {
      const segments = path.split('/');
      if (!segments.some(isPlace)) this.modules.set(path, actions);
      else if (!this.patterns.some((known) => known.segments.join('/') === path))
        this.patterns.push({ segments, name: operation.module });
      // A segment that stands for itself is found before a place.
      this.patterns.sort((one, other) => countPlaces(one.segments) - countPlaces(other.segments));
    }
  }

  private addRest(operation: Operation): void {
    let place = this.rest;
    for (const segment of (operation.path ?? '').split('/').filter(Boolean)) {
      if (isPlace(segment)) place = place.parameter ??= node();
      else {
        const next = place.statics.get(segment) ?? node();
        place.statics.set(segment, next);
        place = next;
      }
    }
    if (place.operations.has(operation.http))
      // eslint-disable-next-line groupware/no-stray-errors -- a mistake of the contracts ends the start
      throw new Error(`${operation.http} ${operation.path} is declared by two operations`);
    place.operations.set(operation.http, operation);
  }

  /**
   * The operation that the parameters of a call select among those with the same action and method.
   * @throws SVL-0002, SVL-0010 when none accepts them
   */
  select(operation: Operation, parameterOf: (name: string) => string | undefined): Operation {
    const variants = this.variants.get(operation);
    if (!variants) return operation;
    const accepts = ({ selector }: Operation): boolean => {
      const value = selector && parameterOf(selector.parameter);
      return value !== undefined && selector!.accepts(value);
    };
    const found = variants.find(accepts) ?? variants.find(({ selector }) => !selector);
    if (found) return found;
    const { parameter } = variants[0]!.selector!;
    const value = parameterOf(parameter);
    throw value ? RequestErrors.badParameter(parameter, value) : RequestErrors.missingParameter(parameter);
  }

  /** The actions of a module, or undefined for a name no contract knows. */
  module(name: string): ModuleRoutes | undefined {
    return this.modules.get(name);
  }

  /** Parameters that calls by a second name of a module have. */
  aliasParameters(name: string): Readonly<Record<string, string>> | undefined {
    return Object.hasOwn(MODULE_ALIASES, name) ? MODULE_ALIASES[name]!.parameters : undefined;
  }

  /** The module whose path has places where this one has segments, with their values. */
  moduleByPattern(
    path: string,
  ): { readonly name: string; readonly values: Readonly<Record<string, string>> } | undefined {
    const given = path.split('/');
    const found = this.patterns.find(
      ({ segments }) =>
        segments.length === given.length &&
        segments.every((segment, at) => (isPlace(segment) ? PLACE_VALUE.test(given[at]!) : segment === given[at])),
    );
    if (!found) return undefined;
    const places = found.segments.flatMap((segment, at) =>
      isPlace(segment) ? [[segment.slice(1, -1), given[at]!] as const] : [],
    );
    return { name: found.name, values: Object.fromEntries(places) };
  }

  /**
   * The longest leading part of a path that is a module: file downloads may carry the file's name as the last segment
   * (`attachment/report.pdf?action=document`).
   */
  moduleWithTail(path: string): { readonly name: string; readonly routes: ModuleRoutes } | undefined {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const name = path.slice(0, end);
      const routes = this.modules.get(name);
      if (routes) return { name, routes };
    }
    return undefined;
  }

  /**
   * Finds a REST operation. Static segments win over parameters, segment by segment, with a step back where the static
   * way leads nowhere. Segments are percent-decoded once; one that can't be decoded matches nothing.
   */
  restMatch(method: string, path: string): RestMatch | undefined {
    const segments: string[] = [];
    for (const raw of path.split('/')) {
      if (raw === '') continue;
      try {
        segments.push(raw.includes('%') ? decodeURIComponent(raw) : raw);
      } catch {
        return undefined;
      }
    }
    const found = this.walk(this.rest, segments, 0, [], method as HttpMethod);
    if (!found) return undefined;
    const { place, values } = found;
    const operation = place.operations.get(method as HttpMethod);
    const sample = operation ?? [...place.operations.values()][0]!;
    const names = (sample.path ?? '').split('/').filter(isPlace);
    return {
      ...(operation ? { operation } : {}),
      params: Object.fromEntries(names.map((name, index) => [name.slice(1, -1), values[index] ?? ''])),
      allow: [...place.operations.keys()],
    };
  }

  private walk(
    place: RestNode,
    segments: readonly string[],
    index: number,
    values: readonly string[],
    method: HttpMethod,
  ): { place: RestNode; values: readonly string[] } | undefined {
    const segment = segments[index];
    if (segment === undefined) return place.operations.size > 0 ? { place, values } : undefined;
    const next = place.statics.get(segment);
    const fixed = next && this.walk(next, segments, index + 1, values, method);
    if (fixed?.place.operations.has(method)) return fixed;
    const free = place.parameter && this.walk(place.parameter, segments, index + 1, [...values, segment], method);
    return free?.place.operations.has(method) ? free : (fixed ?? free);
  }
}
