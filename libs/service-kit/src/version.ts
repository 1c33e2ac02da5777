/** Version of the product, shown by /health and REST errors. */
export const VERSION = '0.1.0';
