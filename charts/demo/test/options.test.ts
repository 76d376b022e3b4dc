import { expect, it } from 'vitest';
import { readOptions } from '../src/read-options.ts';
import { splitImage } from '../src/split-image.ts';
import { findImageTool } from '../src/tools/find-image-tool.ts';

it('has a value for everything that is not given', () => {
  expect(readOptions({ IMAGE: '' })).toMatchObject({
    namespace: 'digital-gold-demo',
    image: undefined,
    publicClass: 'public',
    internalClass: 'internal',
    controller: 'traefik',
    isTakenDown: false,
  });
});

it('takes what is given', () => {
  const env = { DEMO_NAMESPACE: 'other', INGRESS_CONTROLLER: 'nginx', DEMO_DOWN: '1' };
  const options = { namespace: 'other', controller: 'nginx', isTakenDown: true };
  expect(readOptions(env)).toMatchObject(options);
});

it('says what is wrong with a variable', () => {
  expect(() => readOptions({ DEMO_NAMESPACE: 'A b' })).toThrow('DEMO_NAMESPACE must be');
  expect(() => readOptions({ INGRESS_CONTROLLER: 'x' })).toThrow('one of traefik, nginx, other');
});

it('splits an image, and asks for a tag that says what it is', () => {
  const image = 'registry.example:5000/gold/app:1.2.3';
  expect(splitImage(image)).toEqual({ repository: 'registry.example:5000/gold/app', tag: '1.2.3' });
  for (const wrong of ['gold', 'gold:latest', 'registry.example:5000/gold', ':1']) {
    expect(() => splitImage(wrong)).toThrow('needs a tag, other than latest');
  }
});

it('takes the given program for images, and says what to set where there is none', async () => {
  expect((await findImageTool('./images', 'any')).name).toBe('./images');
  await expect(findImageTool(undefined, 'far-away')).rejects.toThrow('set IMAGE to one that');
});

it('hands on what the program says when it fails', async () => {
  const tool = await findImageTool('false', 'any');
  await expect(tool.load('x:1')).rejects.toThrow('false load x:1 failed (1)');
});
