import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

// Finds columns that are the same in every row: whatever makes the rows of a model gives the column a literal, or nothing.

/**
 * @param {object} contracts the exports of the contracts package
 * @param {string} root the checkout
 * @returns {Record<string, string[]>} names of constant columns by model, as the wire has them
 */
export function constantColumns({ operations, fieldsOf }, root) {
  const models = new Map(
    operations
      .filter(({ kind, reply }) => kind === 'action' && reply.kind === 'rows' && reply.model)
      .map(({ reply }) => [reply.model.name, reply.model]),
  );
  const made = new Map([...models.keys()].map((name) => [name, new Made()]));
  for (const file of sourcesOf(path.join(root, 'apps')))
    visit(ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true), made);
  return Object.fromEntries(
    [...models].flatMap(([name, model]) => {
      const constant = fieldsOf(model)
        .filter(({ column, writeOnly }) => column !== undefined && !writeOnly)
        .filter(({ property }) => made.get(name).isConstant(property))
        .map(({ wireName }) => wireName)
        .sort();
      return constant.length > 0 ? [[name, constant]] : [];
    }),
  );
}

/** Values that code puts into the rows of one model. */
class Made {
  varying = new Set();
  literal = new Set();
  /** Columns are spread from other ones, whose literals are not looked at. */
  hasOtherColumns = false;
  /** Values are spread from others: any field may vary. */
  hasOtherValues = false;

  isConstant(property) {
    if (this.varying.has(property) || this.hasOtherValues) return false;
    return this.literal.has(property) || !this.hasOtherColumns;
  }
}

function* sourcesOf(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!/^(node_modules|dist|testing|migrations)$/.test(entry.name)) yield* sourcesOf(full);
    } else if (/\.ts$/.test(entry.name) && !/\.spec\.ts$/.test(entry.name)) yield full;
  }
}

function visit(node, made) {
  if (ts.isObjectLiteralExpression(node))
    for (const name of modelsOf(node)) if (made.has(name)) note(node, made.get(name));
  ts.forEachChild(node, (child) => visit(child, made));
}

/** Models that an object is made for: by `columnsOf(Model, {…})`, or by the type of the value or of the function's result. */
function modelsOf(literal) {
  const { parent } = literal;
  if (ts.isCallExpression(parent) && parent.expression.getText() === 'columnsOf')
    return [parent.arguments[0].getText()];
  return ownerOf(literal)?.type?.getText().match(/\w+/g) ?? [];
}

const ownerOf = ({ parent }) =>
  ts.findAncestor(parent, (node) => ts.isFunctionLike(node) || ts.isVariableDeclaration(node));

/** SQL by column: spread into it are other columns, not the values of rows. */
const isColumnSql = (literal) =>
  ts.isCallExpression(literal.parent) || ownerOf(literal)?.type?.typeName?.getText() === 'ColumnSql';

function note(literal, model) {
  const isColumns = isColumnSql(literal);
  for (const property of literal.properties) {
    if (ts.isSpreadAssignment(property)) model[isColumns ? 'hasOtherColumns' : 'hasOtherValues'] = true;
    else if (ts.isPropertyAssignment(property) && isConstant(property.initializer)) model.literal.add(nameOf(property));
    else if (property.name) model.varying.add(nameOf(property));
  }
}

const nameOf = ({ name }) => (ts.isStringLiteral(name) ? name.text : name.getText());

/** A literal of TypeScript, or a text that is one of SQL. Names in capitals are constants. */
function isConstant(value) {
  const text = value.getText();
  if (/^(null|undefined|true|false|-?\d+|'')$/.test(text)) return true;
  const sql = /^(['"`])(.*)\1$/s.exec(text)?.[2].replace(/\$\{[A-Z_]+\}/g, 'x');
  return sql !== undefined && /^(null|true|false|-?\d+|'[^']*')(::\w+)?$/.test(sql);
}
