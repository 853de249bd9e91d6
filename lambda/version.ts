import packageJson from '../package.json' with { type: 'json' };

/** This code's release; a bundle carries it inside. */
export const SOFTWARE_VERSION: string = packageJson.version;
