/** Handlers, domain, repositories and consumers throw errors of a catalogue, never bare ones. */
export const noStrayErrors = {
  meta: { type: 'problem', schema: [], docs: { description: 'Errors come from an error catalogue' } },
  create: (context) => ({
    ThrowStatement(node) {
      const thrown = node.argument;
      if (thrown?.type === 'NewExpression' && /Error$|Exception$/.test(thrown.callee.name ?? ''))
        context.report({ node, message: 'Throw an error of a catalogue (libs/contracts), not a bare error.' });
    },
  }),
};
