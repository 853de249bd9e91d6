import assert from 'node:assert/strict';
import { tileonce } from '../local/command.ts';
import { STAGE } from './deploy-command.ts';
import type { DeployedApp } from './deployed-app.ts';
import { cloudEnvironment } from './ministack.ts';

/**
 * Runs a recovery verb as an operator does, with what the deployment wrote down of itself.
 *
 * @returns the last line of its JSON.
 * @throws AssertionError where it says nothing, with its own words.
 */
export const operate = async (app: DeployedApp, verb: string, ...args: string[]): Promise<unknown> => {
  const { endpoint } = app.stack;
  const end = await tileonce([verb, ...args, '--stage', STAGE, '--outputs', app.outputsFile, '--json'], {
    env: { ...cloudEnvironment, AWS_ENDPOINT_URL: endpoint, AWS_ENDPOINT_URL_S3: endpoint },
  });
  if (end.stdout === '') assert.fail(`${verb}: exit ${end.code}: ${end.stderr}`);
  return JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '');
};
