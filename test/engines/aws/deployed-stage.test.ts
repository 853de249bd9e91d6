import { describe, expect, it } from '@jest/globals';
import { STAGE_RESOURCES, deployedStage } from '../../../lambda/engines/aws/deployed-stage.ts';

/** As `cdk deploy --all --outputs-file` writes it. */
const outputs = JSON.stringify({
  'Tileonce-dev-State': {
    SourceBucket: 'uploads',
    OutputBucket: 'outputs',
    ClaimTable: 'claims',
    ManifestTable: 'manifest',
  },
  'Tileonce-dev-Pipeline': Object.fromEntries(
    STAGE_RESOURCES.filter((name) => name.endsWith('Url')).map((name) => [name, `https://queues.example/${name}`]),
  ),
});

describe('the resources of a stage', () => {
  it('are read from the outputs of its stacks', () => {
    expect(deployedStage('dev', outputs)).toMatchObject({
      ClaimTable: 'claims',
      TileDeadLettersUrl: 'https://queues.example/TileDeadLettersUrl',
      UndeliveredUploadsUrl: null,
    });
  });

  it('may be named one by one, over the file or without it', () => {
    expect(deployedStage('dev', outputs, { ClaimTable: 'restored' }).ClaimTable).toBe('restored');
    const all = Object.fromEntries(STAGE_RESOURCES.map((name) => [name, name]));
    expect(deployedStage('dev', null, all).ManifestTable).toBe('ManifestTable');
  });

  it('that are not named are refused by name, with the stages that the file knows', () => {
    expect(() => deployedStage('prod', outputs, { ClaimTable: 'claims' })).toThrow(
      /^of stage prod nothing says what ManifestTable, OutputBucket, .* are called \(the outputs file knows dev\)$/,
    );
  });

  it.each(['', 'no JSON', '[1]', '{"a":1}'])('are not guessed from %j', (text) => {
    expect(() => deployedStage('dev', text)).toThrow(/not what cdk deploy --outputs-file writes/);
  });
});
