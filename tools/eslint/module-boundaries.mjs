import path from 'node:path';
import { projectsOf } from './projects.mjs';

/** Which type of project may import which: arrows point downwards only. */
const ALLOWED = {
  'type:host': ['type:host', 'type:app', 'type:kit', 'type:contract'],
  'type:app': ['type:kit', 'type:contract'],
  'type:kit': ['type:kit', 'type:contract'],
  'type:contract': [],
};

const typeOf = (project) => project.tags.find((tag) => tag.startsWith('type:'));

/** Refuses imports against the arrows, imports past a project's index, and projects without tags. */
export const moduleBoundaries = {
  meta: {
    type: 'problem',
    schema: [],
    docs: { description: 'Keeps imports between projects inside the architecture' },
  },
  create(context) {
    const file = context.filename;
    const projects = projectsOf(file);
    const own = projects.find((project) => file.startsWith(project.folder + path.sep));
    function check(node, specifier) {
      if (typeof specifier !== 'string') return;
      if (specifier.startsWith('.')) {
        const target = path.resolve(path.dirname(file), specifier);
        if (own && !target.startsWith(own.folder + path.sep) && target !== own.folder)
          context.report({ node, message: 'Import other projects by their package name.' });
        return;
      }
      const match = /^(@groupware\/[^/]+)(\/.*)?$/.exec(specifier);
      if (!match) return;
      const target = projects.find((project) => project.name === match[1]);
      if (!target) {
        context.report({ node, message: `No project ${match[1]}.` });
        return;
      }
      if (match[2]) context.report({ node, message: `Import ${match[1]} through its index.` });
      if (!own || own === target) return;
      const allowed = ALLOWED[typeOf(own)];
      if (!allowed) context.report({ node, message: `Project ${own.name} has no type tag.` });
      else if (!allowed.includes(typeOf(target)))
        context.report({ node, message: `A ${typeOf(own)} must not import a ${typeOf(target)} (${target.name}).` });
    }
    return {
      ImportDeclaration: (node) => check(node, node.source.value),
      ExportNamedDeclaration: (node) => node.source && check(node, node.source.value),
      ExportAllDeclaration: (node) => check(node, node.source.value),
      ImportExpression: (node) => check(node, node.source.value),
    };
  },
};
