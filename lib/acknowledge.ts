import { Stack, Validations } from 'aws-cdk-lib';
import type { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import type { IConstruct } from 'constructs';
import { z } from 'zod';

/** States why a finding of the AwsSolutions pack is meant to be as it is. */
export const acknowledge = (construct: IConstruct, rule: string, reason: string): void => {
  Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
};

const statements = z.object({
  Statement: z.array(z.object({ Sid: z.string().optional(), Resource: z.union([z.unknown().array(), z.unknown()]) })),
});

/**
 * Acknowledges every star in a policy's resources with the reason of its statement; one without a reason stays a
 * finding. Done when the tree is validated: only then are references to other stacks known as they are written.
 */
export const acknowledgeStars = (policy: CfnPolicy, reasons: ReadonlyMap<string, string>): void => {
  policy.node.addValidation({
    validate: () => {
      const document = statements.parse(Stack.of(policy).resolve(policy.policyDocument));
      for (const { Sid: sid = '', Resource: resource } of document.Statement) {
        const reason = reasons.get(sid);
        if (reason === undefined) continue;
        for (const each of Array.isArray(resource) ? resource : [resource]) {
          const flat = flattened(each);
          if (flat.includes('*')) acknowledge(policy, `IAM5[Resource::${flat}]`, reason);
        }
      }
      return [];
    },
  });
};

const reference = z.union([
  z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }),
  z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
  z.object({ 'Fn::ImportValue': z.unknown() }),
  z.object({ Ref: z.string() }),
]);

/** A reference as the pack's findings spell it: `<Bucket.Arn>/tiles/*`. */
const flattened = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const parsed = reference.safeParse(value);
  if (!parsed.success) return JSON.stringify(value);
  const found = parsed.data;
  if ('Fn::Join' in found) return found['Fn::Join'][1].map(flattened).join(found['Fn::Join'][0]);
  if ('Fn::GetAtt' in found) return `<${found['Fn::GetAtt'].join('.')}>`;
  return 'Ref' in found ? `<${found.Ref}>` : flattened(found['Fn::ImportValue']);
};
