#!/usr/bin/env node
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { fileURLToPath } from 'node:url';
import { buildApp } from '../lib/build-app.ts';
import { readConfig } from '../lib/config.ts';
import { TileonceError } from '../lambda/errors.ts';

// Written out at the end and not when the process ends: a refused configuration must leave no half assembly.
const app = new App({ autoSynth: false });
try {
  const config = readConfig((key) => app.node.tryGetContext(key), fileURLToPath(new URL('..', import.meta.url)));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  buildApp(app, config);
  app.synth();
} catch (error) {
  if (!(error instanceof TileonceError)) throw error;
  console.error(error.remedy === undefined ? error.message : `${error.message}: ${error.remedy}`);
  process.exitCode = 1;
}
