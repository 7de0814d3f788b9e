# The image of the function: `docker build -t krm-fn .`
#
# If you push the image, it must know its name: --build-arg IMAGE=registry.example/krm-fn:1.0.0
#
# To build without a network, put wheels of setuptools and of the package's requirements into wheels/, and add
#   --build-arg BASE=<an image with Python and pip> --build-arg PIP_ARGS='--no-index --find-links wheels'
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
ARG PIP_ARGS=
WORKDIR /src
COPY . .
# A virtual environment has its own `python` and `krm-fn`, and needs no PYTHONPATH.
RUN python -m venv --without-pip /opt/krm-fn \
 && python -m pip --python /opt/krm-fn/bin/python install --no-cache-dir --no-compile ${PIP_ARGS} '.[linker]'
# The root file system is read-only, and the base image contains no bytecode. Without a cache, every start would compile the
# standard library again. This cache contains the standard library and all packages, except the models of the Kubernetes
# client: nothing here imports them, and they would double its 75 MB.
ENV PYTHONPYCACHEPREFIX=/opt/krm-fn/pycache
RUN /opt/krm-fn/bin/python -c 'import compileall, re, sys, sysconfig; \
    unused = re.compile("/kubernetes/(aio|client/(api|models))/"); \
    compile = lambda name: compileall.compile_dir(sysconfig.get_path(name), quiet=2, rx=unused); \
    sys.exit(not all(map(compile, ["stdlib", "purelib"])))'

FROM ${BASE}
# The name of this image, which the function writes into the linker's Job.
ARG IMAGE=
ENV KRM_FN_IMAGE=${IMAGE}
COPY --from=build /opt/krm-fn /opt/krm-fn
ENV PATH=/opt/krm-fn/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPYCACHEPREFIX=/opt/krm-fn/pycache
# `nobody`, as a number, so that Kubernetes can check that it is not root.
USER 65534:65534
# -P: never import a file from the working directory, which may be a mounted package.
ENTRYPOINT ["python", "-P", "-m", "krm_fn"]
