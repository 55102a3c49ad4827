// Lets the search work from the file system, where browsers refuse a Worker: the
// worker's script runs in a frame of the same origin instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const address = new URL(url, document.baseURI).href;
      this.early = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      const inner = frame.contentWindow;
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", {data});
        this.dispatchEvent(event);
        this.onmessage?.(event);
      };
      inner.importScripts = (...urls) => {
        for (const each of urls) {
          const script = inner.document.createElement("script");
          script.src = new URL(each, address).href;
          script.async = false;
          inner.document.head.appendChild(script);
        }
      };
      const script = inner.document.createElement("script");
      script.onload = () => {
        const waiting = this.early;
        this.early = null;
        for (const data of waiting)
          this.deliver(data);
      };
      script.src = address;
      inner.document.head.appendChild(script);
      this.frame = frame;
    }
    deliver(data) {
      const inner = this.frame.contentWindow;
      const event = new inner.MessageEvent("message", {data});
      inner.dispatchEvent(event);
    }
    postMessage(data) {
      if (this.early)
        this.early.push(data);
      else
        this.deliver(data);
    }
    terminate() {
      this.frame.remove();
    }
  };
}
