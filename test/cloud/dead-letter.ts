import assert from 'node:assert/strict';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { QUEUES, type QueueName } from '../../lambda/gates/queue.ts';
import type { DeployedApp } from './deployed-app.ts';

/** A message that was given up, as the console shows it. */
export interface DeadLetter {
  readonly queue: QueueName;
  readonly body: string;
  /** The look at it included. */
  readonly receives: number;
  /** ARN of the queue that it comes from. */
  readonly from: string;
  readonly receipt: string;
}

/** Takes one dead letter of a queue in hand, so that for a while nobody else sees it; null where there is none. */
const receiveOne = async ({ sqs, deployed }: DeployedApp, queue: QueueName): Promise<DeadLetter | null> => {
  const { Messages: [letter] = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: deployed.deadLetters[queue],
      MessageSystemAttributeNames: ['All'],
      VisibilityTimeout: 300,
    }),
  );
  if (letter === undefined) return null;
  const { Body: body, Attributes: told, ReceiptHandle: receipt } = letter;
  return {
    queue,
    body: body ?? '',
    receives: Number(told?.ApproximateReceiveCount ?? 0),
    from: told?.DeadLetterQueueSourceArn ?? '',
    receipt: receipt ?? '',
  };
};

/** Takes one dead letter of the windows' queue in hand. @throws AssertionError where there is none. */
export const takeDeadLetter = async (app: DeployedApp): Promise<DeadLetter> =>
  (await receiveOne(app, 'tiles')) ?? assert.fail('there is no dead letter');

/** What the console's redrive does: the same body, back to the queue that it comes from. */
export const replay = async ({ sqs, deployed }: DeployedApp, { queue, body, receipt }: DeadLetter): Promise<void> => {
  await sqs.send(new SendMessageCommand({ QueueUrl: deployed.queues[queue], MessageBody: body }));
  await sqs.send(new DeleteMessageCommand({ QueueUrl: deployed.deadLetters[queue], ReceiptHandle: receipt }));
};

/** Replays the dead letters of every queue. @returns how many there were. */
export const replayAll = async (app: DeployedApp): Promise<number> => {
  let replayed = 0;
  for (const queue of QUEUES) {
    for (let letter = await receiveOne(app, queue); letter !== null; letter = await receiveOne(app, queue)) {
      await replay(app, letter);
      replayed += 1;
    }
  }
  return replayed;
};
