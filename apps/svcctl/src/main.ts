#!/usr/bin/env node
import { run } from './program';

void run(process.argv.slice(2), {
  input: process.stdin,
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  environment: process.env,
}).then((code) => {
  process.exitCode = code;
});
