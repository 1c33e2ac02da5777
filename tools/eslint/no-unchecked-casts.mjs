import path from 'node:path';

/**
 * Casts to `never` or by way of `unknown` hide what the compiler would find. The option says how many of them a file has left: it
 * may have fewer, and says so then, never more.
 */
export const noUncheckedCasts = {
  meta: {
    type: 'problem',
    schema: [{ type: 'object' }],
    docs: { description: 'No casts to never, nor by way of unknown' },
  },
  create: (context) => {
    const file = path.relative(context.cwd, context.filename);
    const remaining = context.options[0]?.[file] ?? 0;
    const found = [];
    return {
      TSAsExpression(node) {
        const { typeAnnotation, expression } = node;
        const byUnknown = expression.type === 'TSAsExpression' && expression.typeAnnotation.type === 'TSUnknownKeyword';
        if (typeAnnotation.type === 'TSNeverKeyword' || byUnknown) found.push(node);
      },
      'Program:exit'(program) {
        for (const node of found.slice(remaining))
          context.report({ node, message: 'This cast checks nothing: give the value its type.' });
        if (found.length < remaining)
          context.report({
            node: program,
            message: `${found.length} unchecked casts are left here: say so in tools/eslint/remaining-casts.json.`,
          });
      },
    };
  },
};
