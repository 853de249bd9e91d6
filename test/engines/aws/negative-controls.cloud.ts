import assert from 'node:assert/strict';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dynamoClient, s3Client } from '../../../lambda/engines/aws/clients.ts';
import { type ConnectedStack, connectedStack } from '../../cloud/connected.ts';
import { lendClaims, lendManifest, lendObjects } from '../../cloud/lent-stores.ts';
import { claimStoreCases } from '../../contract/claim-store.contract.ts';
import { brokenRules } from '../../contract/contract.ts';
import { manifestStoreCases } from '../../contract/manifest-store.contract.ts';
import { objectStoreCases } from '../../contract/object-store.contract.ts';
import { describeWith } from '../../support/requirements.ts';

let running: ConnectedStack | null = null;

const clients = (): ConnectedStack => running ?? assert.fail('MiniStack is not running');

/** Makes every condition hold, as an adapter would that forgot it. */
const withoutConditions = (client: DynamoDBClient): DynamoDBClient => {
  client.middlewareStack.add(
    (next) => (args) => {
      const condition: unknown = Reflect.get(args.input, 'ConditionExpression');
      // Every name and value of the condition stays in use, or the request would be refused for that.
      const always = `(${String(condition)}) OR attribute_exists(job_id) OR attribute_not_exists(job_id)`;
      const input = condition === undefined ? args.input : { ...args.input, ConditionExpression: always };
      return next({ ...args, input });
    },
    { step: 'initialize' },
  );
  return client;
};

/** Takes a header off every request, as a deployment would send that forgot it. */
const withoutHeader = (client: S3Client, header: string): S3Client => {
  client.middlewareStack.add(
    (next) => (args) => {
      const { request } = args;
      if (typeof request === 'object' && request !== null && 'headers' in request) {
        const { headers } = request;
        if (typeof headers === 'object' && headers !== null) Reflect.deleteProperty(headers, header);
      }
      return next(args);
    },
    { step: 'build', priority: 'low' },
  );
  return client;
};

describeWith(['Python'], 'an AWS adapter that forgot its conditions', () => {
  beforeAll(async () => {
    running = await connectedStack();
  }, 180_000);

  afterAll(async () => {
    await running?.stack.stop();
  }, 20_000);

  describe('without the conditions on the tables', () => {
    it('the contracts notice', async () => {
      const { endpoint } = clients().stack;
      const client = withoutConditions(dynamoClient({ endpoint }));
      expect(await brokenRules(claimStoreCases, () => lendClaims(client))).toEqual(
        expect.arrayContaining([
          'of eight claims at once one wins, and the others see its row as live',
          'a committed job is never won again, whatever its age and whoever asks',
          'a commit by a stale owner is lost and changes nothing',
        ]),
      );
      expect(await brokenRules(manifestStoreCases, () => lendManifest(client))).toEqual(
        expect.arrayContaining([
          'a second row of a window exists and changes nothing',
          'a plan is closed only while it is open, and keeps the reason',
        ]),
      );
    }, 60_000);
  });

  describe('without the If-None-Match header', () => {
    it('the contract notices that objects are overwritten', async () => {
      const { endpoint } = clients().stack;
      const client = withoutHeader(s3Client({ endpoint }), 'if-none-match');
      const broken = await brokenRules(objectStoreCases, () => lendObjects(client));
      expect(broken.sort()).toEqual([
        'a second create sees that it exists, and the bytes stay the first one’s',
        'an upload that a rival overtook exists at its completion and changes nothing',
        'of sixteen creates at once one wins, and the object is the winner’s',
      ]);
    }, 30_000);
  });

  describe('without the If-Match header', () => {
    it('the contract notices that another object is replaced and removed', async () => {
      const { endpoint } = clients().stack;
      const client = withoutHeader(s3Client({ endpoint }), 'if-match');
      const broken = await brokenRules(objectStoreCases, () => lendObjects(client));
      expect(broken).toEqual(
        expect.arrayContaining([
          'a replace with another etag is a mismatch and changes nothing',
          'a remove with another etag leaves the object, with the inspected one it is gone',
          'an object is not opened under an etag that it does not have',
        ]),
      );
    }, 30_000);
  });
});
