import assert from 'node:assert/strict';
import { DeleteMessageCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { DeployedApp } from './deployed-app.ts';

/** A message that was given up, as the console shows it. */
export interface DeadLetter {
  readonly body: string;
  /** The look at it included. */
  readonly receives: number;
  /** ARN of the queue that it comes from. */
  readonly from: string;
  readonly receipt: string;
}

/** Takes one dead letter of the windows' queue in hand. @throws AssertionError where there is none. */
export const takeDeadLetter = async ({ sqs, deployed }: DeployedApp): Promise<DeadLetter> => {
  const { Messages: [letter] = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: deployed.deadLetters.tiles,
      MessageSystemAttributeNames: ['All'],
      VisibilityTimeout: 300,
    }),
  );
  const { Body: body, Attributes: told, ReceiptHandle: receipt } = letter ?? assert.fail('there is no dead letter');
  return {
    body: body ?? '',
    receives: Number(told?.ApproximateReceiveCount ?? 0),
    from: told?.DeadLetterQueueSourceArn ?? '',
    receipt: receipt ?? '',
  };
};

/** What the console's redrive does: the same body, back to the queue that it comes from. */
export const replay = async ({ sqs, deployed }: DeployedApp, { body, receipt }: DeadLetter): Promise<void> => {
  await sqs.send(new SendMessageCommand({ QueueUrl: deployed.queues.tiles, MessageBody: body }));
  await sqs.send(new DeleteMessageCommand({ QueueUrl: deployed.deadLetters.tiles, ReceiptHandle: receipt }));
};
