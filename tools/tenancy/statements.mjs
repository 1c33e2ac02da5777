import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const DOORS = ['acrossContexts', 'acrossShards', 'onShard'];
const SQL =
  /^\(?(select\s|insert into \w+ ?\(|update \w+( \w+)? set\s|delete from \w+|with (recursive )?\w+ as|((left|right|full|cross|inner) )?join \w+|union( all)? select)/;
/** Sources that send statements on connections of their own: the tools of operators on whole installations, and the kit itself. */
const OTHER_WAYS = /^(apps\/host|libs\/(test-kit|persistence\/src\/(?!consumed-events|outbox-relay)))/;

/** Statements and parts of statements in the sources: the texts between their placeholders. */
export function statementsIn(root) {
  return sourcesOf(root)
    .filter((file) => !OTHER_WAYS.test(file))
    .flatMap((file) => {
      const found = [];
      visit(root, file, (node, line) => {
        const chunks = chunksOf(node);
        if (chunks && SQL.test(chunks[0].trimStart())) found.push({ place: `${file}:${line}`, chunks });
      });
      return found;
    });
}

/** The statements of the sources that no recorded one contains. */
export function unseenStatements(root, recordsFolder) {
  const recorded = [...new Set(readRecords(recordsFolder))];
  return statementsIn(root).filter(({ chunks }) => !recorded.some((sql) => contains(sql, chunks)));
}

/** Whether a text holds all of the chunks, in their order. */
function contains(text, chunks) {
  let position = 0;
  for (const chunk of chunks) {
    const found = text.indexOf(chunk.trim(), position);
    if (found < 0) return false;
    position = found + chunk.trim().length;
  }
  return true;
}

/** Lists where the sources leave their context, and why. */
export function contextDoors(root) {
  return sourcesOf(root)
    .filter((file) => !file.startsWith('libs/test-kit'))
    .flatMap((file) => {
      const found = [];
      const reasons = new Map();
      visit(root, file, (node) => {
        if (ts.isVariableDeclaration(node) && node.initializer && ts.isStringLiteral(node.initializer))
          reasons.set(node.name.getText(), node.initializer.text);
        if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
        const door = node.expression.name.text;
        if (!DOORS.includes(door)) return;
        const reason = node.arguments[door === 'onShard' ? 1 : 0];
        found.push({ file, door, reason: ts.isStringLiteral(reason) ? reason.text : reasons.get(reason.getText()) });
      });
      return found;
    });
}

function readRecords(folder) {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).flatMap((name) =>
    fs
      .readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => normalized(JSON.parse(line))),
  );
}

/** The texts of a literal between its placeholders. */
function chunksOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [normalized(node.text)];
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].map(normalized);
}

function visit(root, file, take) {
  const source = ts.createSourceFile(
    file,
    fs.readFileSync(path.join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const walk = (node) => {
    take(node, source.getLineAndCharacterOfPosition(node.getStart()).line + 1);
    ts.forEachChild(node, walk);
  };
  walk(source);
}

/** Lists the sources of the product, without specs and migrations. */
export function sourcesOf(root) {
  const files = ['apps', 'libs'].flatMap((group) =>
    fs
      .readdirSync(path.join(root, group))
      .map((name) => path.join(group, name, 'src'))
      .filter((folder) => fs.existsSync(path.join(root, folder)))
      .flatMap((folder) =>
        fs.readdirSync(path.join(root, folder), { recursive: true }).map((file) => path.join(folder, file)),
      ),
  );
  return files
    .filter((file) => file.endsWith('.ts') && !/\.spec\.ts$|\/testing\/|\/migrations\/|-migration\.ts$/.test(file))
    .sort();
}

const normalized = (text) => text.replace(/\s+/g, ' ');
