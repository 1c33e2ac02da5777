import { parseSync } from 'libpg-query';

/** The tables and views of a schema, by name: their columns, and those of their unique constraints. */
export type Tables = ReadonlyMap<
  string,
  { readonly columns: readonly string[]; readonly constraints: Readonly<Record<string, readonly string[]>> }
>;

/** The column of a table that says whose a row is. */
export const CONTEXT_COLUMN = 'context_id';

/** A node of Postgres' syntax tree: `{ SelectStmt: {…} }`, or the fields of one. */
type Node = Readonly<Record<string, unknown>>;

/**
 * Proves that a statement touches rows of one context only: each table with {@link CONTEXT_COLUMN}, wherever it stands, has
 * this column equal to `$1`, directly or by equalities that hold for all of its rows, and nothing is written under another one.
 * Answers what is not proven; empty when all is. A form of statement it doesn't know is not proven.
 */
export function proveTenancy(sql: string, tables: Tables): readonly string[] {
  const { stmts = [] } = parseSync(sql) as { stmts?: readonly { stmt: Node }[] };
  const proof = new Proof(tables);
  for (const { stmt } of stmts) proof.statement(stmt, new Scope());
  // A table in a place that was never looked at is as unproven as one without a condition.
  for (const name of tablesIn(stmts))
    if (!proof.seen.has(name)) proof.problems.push(`${(name as { relname: string }).relname}: not understood`);
  return [...new Set(proof.problems)];
}

/** An item of FROM: a table, a subselect, a common table expression, a function. */
interface Source {
  readonly name: string;
  /** Undefined: unknown, as those of a function. */
  readonly columns?: readonly string[];
  /** Its columns that are `$1`, or null where an outer join found no row. */
  readonly bound: Set<string>;
}

/** An equality of expressions that makes columns of some sources bound. */
interface Equality {
  readonly left: Node;
  readonly right: Node;
  /** The sources whose rows all fulfil it. */
  readonly holdsFor: ReadonlySet<Source>;
}

/** Names that a part of a statement sees. */
class Scope {
  readonly sources: Source[] = [];
  /** Bound columns of common table expressions, by name. */
  readonly expressions = new Map<string, Exports>();

  constructor(readonly outer?: Scope) {}

  expression(name: string): Exports | undefined {
    return this.expressions.get(name) ?? this.outer?.expression(name);
  }

  /** The source of a column. */
  findSource(column: string, source?: string): Source | undefined {
    const found = this.sources.find(({ name, columns }) =>
      source === undefined ? columns?.includes(column) : name === source,
    );
    return found ?? this.outer?.findSource(column, source);
  }
}

/** The columns that a query answers, in order; `bound` where they are the context of the call. */
type Exports = readonly { readonly name: string; readonly bound: boolean }[];

class Proof {
  readonly problems: string[] = [];
  /** The tables that were judged. */
  readonly seen = new Set<unknown>();

  constructor(private readonly tables: Tables) {}

  /** Any statement. Answers its columns. */
  statement(node: Node, outer: Scope): Exports {
    const [[kind, fields]] = Object.entries(node) as [[string, Node]];
    const scope = new Scope(outer);
    this.with(fields.withClause as Node | undefined, scope);
    switch (kind) {
      case 'SelectStmt':
        return this.select(fields, scope);
      case 'InsertStmt':
        return this.insert(fields, scope);
      case 'UpdateStmt':
        return this.change(fields, scope, fields.fromClause);
      case 'DeleteStmt':
        return this.change(fields, scope, fields.usingClause);
      default:
        this.problems.push(`${kind}: not understood`);
        return [];
    }
  }

  private with(clause: Node | undefined, scope: Scope): void {
    for (const entry of list(clause?.ctes)) {
      const { ctename, ctequery, aliascolnames } = entry.CommonTableExpr as Node;
      const renamed = (columns: Exports) => rename(columns, list(aliascolnames));
      const name = ctename as string;
      if (clause?.recursive) {
        // Columns of the first part are bound unless a later part says otherwise.
        const { larg } = ((ctequery as Node).SelectStmt ?? {}) as Node;
        let assumed = renamed(new Proof(this.tables).statement({ SelectStmt: (larg ?? {}) as Node }, scope));
        for (;;) {
          scope.expressions.set(name, assumed);
          const next = renamed(new Proof(this.tables).statement(ctequery as Node, scope));
          if (JSON.stringify(next) === JSON.stringify(assumed)) break;
          assumed = next.map((column, index) => ({ ...column, bound: column.bound && !!assumed[index]?.bound }));
        }
      }
      scope.expressions.set(name, renamed(this.statement(ctequery as Node, scope)));
    }
  }

  private select(fields: Node, scope: Scope): Exports {
    if (fields.op !== 'SETOP_NONE') {
      const left = this.statement({ SelectStmt: fields.larg as Node }, scope);
      const right = this.statement({ SelectStmt: fields.rarg as Node }, scope);
      this.subqueries({ ...fields, larg: undefined, rarg: undefined, withClause: undefined }, scope);
      return left.map((column, index) => ({ ...column, bound: column.bound && !!right[index]?.bound }));
    }
    if (fields.intoClause) this.problems.push('select into: not understood');
    if (fields.valuesLists) {
      this.subqueries(fields.valuesLists, scope);
      const rows = list(fields.valuesLists).map((row) => list((row.List as Node).items));
      return (rows[0] ?? []).map((_value, index) => ({
        name: `column${index + 1}`,
        bound: rows.every((row) => isBound(row[index]!, scope)),
      }));
    }
    this.from(list(fields.fromClause), fields.whereClause as Node | undefined, scope);
    this.subqueries({ ...fields, fromClause: undefined, withClause: undefined }, scope);
    return exportsOf(list(fields.targetList), scope);
  }

  private insert(fields: Node, scope: Scope): Exports {
    const relation = fields.relation as Node;
    const table = this.table(relation);
    const source = fields.selectStmt as Node | undefined;
    const values = source ? this.statement(source, scope) : [];
    if (table.columns?.includes(CONTEXT_COLUMN)) {
      const named = list(fields.cols).map((column) => (column.ResTarget as Node).name);
      const position = (named.length > 0 ? named : table.columns).indexOf(CONTEXT_COLUMN);
      if (!values[position]?.bound) this.unbound(table.name, 'rows are inserted under another context');
      table.bound.add(CONTEXT_COLUMN);
    }
    const inner = new Scope(scope);
    inner.sources.push(table);
    const conflict = fields.onConflictClause as Node | undefined;
    if (conflict?.action === 'ONCONFLICT_UPDATE') {
      const { indexElems, conname } = conflict.infer as Node;
      const named = this.tables.get(relation.relname as string)?.constraints[conname as string] ?? [];
      const key = [...named, ...list(indexElems).map((element) => (element.IndexElem as Node).name)];
      if (table.columns?.includes(CONTEXT_COLUMN) && !key.includes(CONTEXT_COLUMN))
        this.unbound(table.name, 'the row of a conflict may be of another context');
      inner.sources.push({ ...table, name: 'excluded' });
      this.assignments(list(conflict.targetList), table, inner);
    }
    this.subqueries(conflict, inner);
    this.subqueries(fields.returningClause, inner);
    return exportsOf(returned(fields), inner);
  }

  /** `update … from` and `delete … using`. */
  private change(fields: Node, scope: Scope, joined: unknown): Exports {
    const relation = { RangeVar: fields.relation as Node };
    this.from([relation, ...list(joined)], fields.whereClause as Node | undefined, scope);
    this.assignments(list(fields.targetList), scope.sources[0]!, scope);
    this.subqueries(
      { ...fields, relation: undefined, fromClause: undefined, usingClause: undefined, withClause: undefined },
      scope,
    );
    return exportsOf(returned(fields), scope);
  }

  private assignments(targets: readonly Node[], table: Source, scope: Scope): void {
    for (const target of targets) {
      const { name, val } = target.ResTarget as Node;
      if (name === CONTEXT_COLUMN && !isBound(val as Node, scope))
        this.unbound(table.name, 'rows change their context');
    }
  }

  /** Brings sources into a scope and proves that those with a context are bound. */
  private from(items: readonly Node[], where: Node | undefined, scope: Scope): void {
    const equalities: Equality[] = [];
    const judged: { readonly table: string; readonly source: Source }[] = [];
    const laterals: { readonly source: Source; readonly query: Node; readonly alias: Node | undefined }[] = [];

    const add = (item: Node): readonly Source[] => {
      const [[kind, fields]] = Object.entries(item) as [[string, Node]];
      if (kind === 'JoinExpr') return join(fields);
      const source = enter(kind, fields);
      scope.sources.push(source);
      return [source];
    };
    const enter = (kind: string, fields: Node): Source => {
      const alias = fields.alias as Node | undefined;
      if (kind === 'RangeVar') {
        const expression = fields.schemaname ? undefined : scope.expression(fields.relname as string);
        if (expression) {
          this.seen.add(fields);
          return sourceOf(alias?.aliasname ?? fields.relname, rename(expression, list(alias?.colnames)));
        }
        const source = this.table(fields);
        if (source.columns?.includes(CONTEXT_COLUMN)) judged.push({ table: fields.relname as string, source });
        return source;
      }
      if (kind === 'RangeSubselect') {
        const query = fields.subquery as Node;
        if (!fields.lateral)
          return sourceOf(alias?.aliasname, rename(this.statement(query, outerOf(scope)), list(alias?.colnames)));
        const source: Source = { name: (alias?.aliasname ?? '') as string, columns: [], bound: new Set() };
        laterals.push({ source, query, alias });
        return source;
      }
      if (kind === 'RangeFunction') {
        const declared = list(fields.coldeflist).map((column) => (column.ColumnDef as Node).colname as string);
        const columns = [...declared, ...list(alias?.colnames).map(textOf)];
        return { name: (alias?.aliasname ?? '') as string, columns, bound: new Set() };
      }
      this.problems.push(`${kind}: not understood`);
      return { name: '', bound: new Set() };
    };
    const join = ({ jointype, larg, rarg, quals, usingClause, isNatural, alias }: Node): readonly Source[] => {
      const left = add(larg as Node);
      const right = add(rarg as Node);
      const both = [...left, ...right];
      if (isNatural || alias) this.problems.push('natural join: not understood');
      // The rows of the outer side are there without a partner, too: a condition binds the inner side only.
      const holdsFor = new Set(
        { JOIN_INNER: both, JOIN_LEFT: right, JOIN_RIGHT: left, JOIN_FULL: [] }[jointype as string] ?? [],
      );
      for (const [a, b] of equationsIn(quals as Node | undefined)) equalities.push({ left: a, right: b, holdsFor });
      for (const column of list(usingClause).map(textOf)) {
        const sides = [left, right].map((side) => side.find(({ columns }) => columns?.includes(column))?.name);
        if (sides.every((side) => side !== undefined)) {
          const [a, b] = sides.map((side) => columnRef(side!, column));
          equalities.push({ left: a!, right: b!, holdsFor });
        }
      }
      return both;
    };
    for (const item of items) add(item);
    const all = new Set(scope.sources);
    for (const [left, right] of equationsIn(where)) equalities.push({ left, right, holdsFor: all });

    spread(equalities, scope);
    for (const { source, query, alias } of laterals) {
      const columns = rename(this.statement(query, scope), list(alias?.colnames));
      (source.columns as string[]).push(...columns.map(({ name }) => name));
      for (const { name, bound } of columns) if (bound) source.bound.add(name);
      spread(equalities, scope);
    }
    // `(context_id, id) in (select context_id, id …)`
    for (const [columns, query] of membershipsIn(where)) {
      const found = new Proof(this.tables).statement(query, scope);
      columns.forEach((column, index) => {
        const { source, name } = columnOf(column, scope) ?? {};
        if (source && name && found[index]?.bound && all.has(source)) source.bound.add(name);
      });
      spread(equalities, scope);
    }
    for (const { table, source } of judged)
      if (!source.bound.has(CONTEXT_COLUMN)) this.unbound(table, 'not bound to $1');
    this.subqueries(items, scope, true);
  }

  /** A table with its columns. */
  private table(relation: Node): Source {
    this.seen.add(relation);
    const { relname, schemaname, alias } = relation;
    const name = ((alias as Node | undefined)?.aliasname ?? relname) as string;
    const foreign = schemaname === 'pg_catalog' || schemaname === 'information_schema';
    const columns = foreign || /^pg_/.test(relname as string) ? [] : this.tables.get(relname as string)?.columns;
    if (!columns || (schemaname !== undefined && !foreign)) this.unbound(relname as string, 'no table of the module');
    return { name, columns, bound: new Set() };
  }

  /** Proves the queries within expressions. */
  private subqueries(node: unknown, scope: Scope, ofSources = false): void {
    if (Array.isArray(node)) for (const item of node) this.subqueries(item, scope, ofSources);
    else if (isNode(node))
      for (const [key, value] of Object.entries(node)) {
        // Those of FROM are proven where they are entered.
        if (ofSources && key === 'RangeSubselect') continue;
        if (
          key === 'NullTest' &&
          isBound((value as Node).arg as Node, scope) &&
          !(value as { arg: Node }).arg.ColumnRef
        )
          this.problems.push('$1 is compared with nothing');
        if (key === 'SelectStmt') this.statement({ SelectStmt: value as Node }, scope);
        else this.subqueries(value, scope, ofSources);
      }
  }

  private unbound(table: string, what: string): void {
    this.problems.push(`${table}: ${what}`);
  }
}

/** Makes columns bound that equal bound ones, until nothing changes. */
function spread(equalities: readonly Equality[], scope: Scope): void {
  for (let changed = true; changed;) {
    changed = false;
    for (const { left, right, holdsFor } of equalities)
      for (const [from, to] of [
        [left, right],
        [right, left],
      ] as const) {
        const { source, name } = columnOf(to, scope) ?? {};
        if (!source || !name || !holdsFor.has(source) || source.bound.has(name) || !isBound(from, scope)) continue;
        source.bound.add(name);
        changed = true;
      }
  }
}

/** Whether an expression is the context of the call. */
function isBound(node: Node, scope: Scope): boolean {
  if ((node.ParamRef as Node | undefined)?.number === 1) return true;
  if (node.TypeCast) return isBound((node.TypeCast as Node).arg as Node, scope);
  const { source, name } = columnOf(node, scope) ?? {};
  return !!source && !!name && source.bound.has(name);
}

/** The source and name of a column. */
function columnOf(node: Node, scope: Scope): { source: Source; name: string } | undefined {
  const fields = list((node.ColumnRef as Node | undefined)?.fields);
  if (fields.length === 0 || fields.length > 2 || fields.some((field) => !field.String)) return undefined;
  const [name, owner] = fields.map(textOf).reverse() as [string, string | undefined];
  const source = scope.findSource(name, owner);
  return source && { source, name };
}

/** The equations that a condition makes: those of its ANDs. */
function equationsIn(condition: Node | undefined): readonly (readonly [Node, Node])[] {
  if (!condition) return [];
  const { boolop, args } = (condition.BoolExpr ?? {}) as Node;
  if (boolop === 'AND_EXPR') return list(args).flatMap(equationsIn);
  const { kind, name, lexpr, rexpr } = (condition.A_Expr ?? {}) as Node;
  if (kind !== 'AEXPR_OP' || textOf(list(name)[0]!) !== '=') return [];
  const sides = [lexpr as Node, rexpr as Node].map((side) =>
    side.RowExpr ? list((side.RowExpr as Node).args) : [side],
  ) as [Node[], Node[]];
  return sides[0].length === sides[1].length ? sides[0].map((left, index) => [left, sides[1][index]!] as const) : [];
}

/** The columns of a condition that are among those of a query. */
function membershipsIn(condition: Node | undefined): readonly (readonly [readonly Node[], Node])[] {
  if (!condition) return [];
  const { boolop, args } = (condition.BoolExpr ?? {}) as Node;
  if (boolop === 'AND_EXPR') return list(args).flatMap(membershipsIn);
  const { subLinkType, testexpr, subselect, operName } = (condition.SubLink ?? {}) as Node;
  if (subLinkType !== 'ANY_SUBLINK' || (operName && textOf(list(operName)[0]!) !== '=')) return [];
  const test = testexpr as Node;
  return [[test.RowExpr ? list((test.RowExpr as Node).args) : [test], subselect as Node]];
}

/** The columns that a select list answers. */
function exportsOf(targets: readonly Node[], scope: Scope): Exports {
  return targets.flatMap((target) => {
    const { name, val } = target.ResTarget as Node;
    const fields = list(((val as Node).ColumnRef as Node | undefined)?.fields);
    if (fields.at(-1)?.A_Star) {
      const [owner] = fields.length > 1 ? [textOf(fields[0]!)] : [];
      return scope.sources
        .filter((source) => owner === undefined || source.name === owner)
        .flatMap(({ columns = [], bound }) => columns.map((column) => ({ name: column, bound: bound.has(column) })));
    }
    const last = fields.at(-1);
    return [{ name: (name ?? (last ? textOf(last) : '')) as string, bound: isBound(val as Node, scope) }];
  });
}

const returned = (fields: Node): readonly Node[] => {
  const clause = fields.returningClause as Node | undefined;
  return list(clause?.exprs ?? fields.returningList);
};

/** The scope around that of a FROM: a subselect there doesn't see what stands beside it. */
function outerOf(scope: Scope): Scope {
  const around = new Scope(scope.outer);
  for (const [name, columns] of scope.expressions) around.expressions.set(name, columns);
  return around;
}

const sourceOf = (name: unknown, columns: Exports): Source => ({
  name: (name ?? '') as string,
  columns: columns.map((column) => column.name),
  bound: new Set(columns.filter(({ bound }) => bound).map((column) => column.name)),
});

const rename = (columns: Exports, names: readonly Node[]): Exports =>
  columns.map((column, index) => (names[index] ? { ...column, name: textOf(names[index]) } : column));

const columnRef = (source: string, column: string): Node => ({
  ColumnRef: { fields: [{ String: { sval: source } }, { String: { sval: column } }] },
});

function tablesIn(node: unknown): readonly unknown[] {
  if (Array.isArray(node)) return node.flatMap(tablesIn);
  if (!isNode(node)) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === 'RangeVar' || key === 'relation' ? [value] : []),
    ...(key === 'lockedRels' ? [] : tablesIn(value)), // those name sources
  ]);
}

const list = (value: unknown): readonly Node[] => (value ?? []) as readonly Node[];
const textOf = (node: Node): string => ((node.String as Node | undefined)?.sval ?? '') as string;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
