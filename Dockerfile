# The function as an image: `docker build -t krm-fn .`
#
# An image that is pushed has to know its name: --build-arg IMAGE=registry.example/krm-fn:1.0.0
#
# Without a network, put wheels of the package's requirements and of setuptools into wheels/ and add
#   --build-arg BASE=<an image with Python and pip> --build-arg PIP_ARGS='--no-index --find-links wheels'
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
ARG PIP_ARGS=
WORKDIR /src
COPY . .
# A virtual environment carries its own `python` and `krm-fn`, and needs no PYTHONPATH.
RUN python -m venv --without-pip /opt/krm-fn \
 && python -m pip --python /opt/krm-fn/bin/python install --no-cache-dir --no-compile ${PIP_ARGS} '.[linker]'
# The root file system is read-only and the base image has no bytecode, so that every start would compile
# the standard library's modules anew. One cache holds them and the package's own, but not the Kubernetes client's
# models, which nothing here imports and which would double its 75 MB.
ENV PYTHONPYCACHEPREFIX=/opt/krm-fn/pycache
RUN /opt/krm-fn/bin/python -c 'import compileall, re, sys, sysconfig; \
    unused = re.compile("/kubernetes/(aio|client/(api|models))/"); \
    compile = lambda name: compileall.compile_dir(sysconfig.get_path(name), quiet=2, rx=unused); \
    sys.exit(not all(map(compile, ["stdlib", "purelib"])))'

FROM ${BASE}
# What the function writes into the linker's Job: this very image, under the name it is pulled by.
ARG IMAGE=
ENV KRM_FN_IMAGE=${IMAGE}
COPY --from=build /opt/krm-fn /opt/krm-fn
ENV PATH=/opt/krm-fn/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPYCACHEPREFIX=/opt/krm-fn/pycache
# `nobody`; by number, so that Kubernetes can see that it is not root.
USER 65534:65534
# -P: whatever folder is mounted and made the working one, no file in it is imported.
ENTRYPOINT ["python", "-P", "-m", "krm_fn"]
