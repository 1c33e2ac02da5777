/** Settings are read once, in configuration classes. */
export const noProcessEnv = {
  meta: { type: 'problem', schema: [], docs: { description: 'process.env is read by the configuration kit only' } },
  create: (context) => ({
    MemberExpression(node) {
      if (node.object.name === 'process' && node.property.name === 'env')
        context.report({ node, message: 'Declare a setting in a configuration class instead of reading process.env.' });
    },
  }),
};
