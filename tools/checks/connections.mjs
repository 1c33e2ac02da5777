/** Connections to Postgres of each process beside its pools: two of the registry of shards, one that looks after silent ones. */
const OF_EACH_PROCESS = 3;
/** Connections of others: superusers, the job of migrations, backups and people. */
export const OF_OTHERS = 20;

/**
 * Most connections of a process that hosts one module.
 * @param {boolean} hasSchema the module has a pool
 * @param {number} poolSize
 */
export const connectionsOfPod = (hasSchema, poolSize) => (hasSchema ? poolSize : 0) + OF_EACH_PROCESS;
