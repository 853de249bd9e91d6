import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { buildApp } from '../../lib/build-app.ts';
import { readConfig } from '../../lib/config.ts';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The context of cdk.json, as the command line hands it to the app. */
export const committedContext: Readonly<Record<string, unknown>> = z
  .object({ context: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync(`${repository}cdk.json`, 'utf8'))).context;

/** An app with the committed flags, whose functions are not bundled and whose templates CloudFormation's types do not check. */
export const quickApp = (): App => {
  process.env['CDK_VALIDATION'] = 'false';
  process.env['JSII_DEPRECATED'] = 'quiet';
  const quiet = { 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:annotationsInValidationReport': false };
  return new App({ context: { ...committedContext, ...quiet } });
};

export const pipelines = ['pipelines/sentinel2-ndvi.json'];

/** A stage's three templates, and the app they come from. */
export const deployed = (stage: Readonly<Record<string, unknown>> = {}) => {
  const app = quickApp();
  const context: Readonly<Record<string, unknown>> = { stage: 'test', stages: { test: { pipelines, ...stage } } };
  const stacks = buildApp(
    app,
    readConfig((key) => context[key], repository),
  );
  return {
    app,
    stacks,
    state: Template.fromStack(stacks.state),
    pipeline: Template.fromStack(stacks.pipeline),
    operations: Template.fromStack(stacks.operations),
  };
};
