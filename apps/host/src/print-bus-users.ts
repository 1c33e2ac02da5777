import { busUsers } from './bus-users';
import { modules } from './modules';

// node apps/host/dist/print-bus-users.js [--prefix=gw] [group …], such as: gateway identity calendar,folders. Default: each
// module alone.
const isOption = (argument: string): boolean => argument.startsWith('--prefix=');
const groups = process.argv.slice(2).filter((argument) => !isOption(argument));
const prefix = process.argv.find(isOption)?.slice('--prefix='.length);

busUsers(groups.length > 0 ? groups : Object.keys(modules), prefix).then(
  (text) => process.stdout.write(text),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  },
);
